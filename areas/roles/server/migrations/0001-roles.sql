create table roles (
  tenant_id uuid not null,
  id uuid not null,
  -- The built-in role that this is; null for the tenancy's own.
  built_in text,
  name text not null,
  description text not null,
  view text[] not null,
  menu text[] not null,
  api text[] not null,
  primary key (tenant_id, id)
);
create unique index roles_by_name on roles (tenant_id, lower(name));
create unique index roles_built_in on roles (tenant_id, built_in) where built_in is not null;
select protect_tenant_table('roles');

create table role_members (
  tenant_id uuid not null,
  role_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, role_id, user_id),
  foreign key (tenant_id, role_id) references roles (tenant_id, id)
);
create index role_members_by_user on role_members (tenant_id, user_id);
select protect_tenant_table('role_members');
