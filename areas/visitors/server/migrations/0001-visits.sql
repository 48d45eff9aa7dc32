create table visits (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  company text not null,
  email_address text not null,
  host_id uuid not null,
  begins timestamptz not null,
  until timestamptz not null,
  purpose text not null,
  pass_number text not null,
  arrived_at timestamptz,
  left_at timestamptz,
  cancelled boolean not null default false,
  -- The host was told that the visitor has not left.
  told boolean not null default false,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index visits_by_begin on visits (tenant_id, begins desc, id);
create index visits_of_host on visits (tenant_id, host_id) where left_at is null and not cancelled;
create index visits_here on visits (tenant_id, until) where arrived_at is not null and left_at is null;
select protect_tenant_table('visits');
