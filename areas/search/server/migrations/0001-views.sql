-- Named addresses of lists, by person. They follow the person from machine to machine.
create table search_views (
  tenant_id uuid not null,
  user_id uuid not null,
  list text not null,
  name text not null,
  path text not null,
  query text not null,
  kept_at timestamptz not null,
  primary key (tenant_id, user_id, list, name)
);
select protect_tenant_table('search_views');
