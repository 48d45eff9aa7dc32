-- One row a tenancy: who changes the shape of the tree holds it, so that moves come one after the other.
create table organisation_trees (
  tenant_id uuid primary key,
  codes bigint not null default 0
);
select protect_tenant_table('organisation_trees');

create table organisations (
  tenant_id uuid not null,
  id uuid not null,
  -- Null at the top.
  parent_id uuid,
  -- Codes of six characters, the root's first; read by range, because the operators of ltree and LIKE are not leak-proof and would use no index here.
  path text collate "C" not null,
  type text not null,
  name text not null,
  country text not null,
  business_number text not null,
  -- Empty where the number is right, or there is none.
  number_fault text not null,
  address text not null,
  contact text not null,
  note text not null,
  added_at timestamptz not null,
  modified_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index organisations_by_path on organisations (tenant_id, path);
create unique index organisations_by_name
  on organisations (tenant_id, coalesce(parent_id, '00000000-0000-0000-0000-000000000000'), lower(name));
create index organisations_by_parent on organisations (tenant_id, parent_id, name, id);
select protect_tenant_table('organisations');

create table organisation_members (
  tenant_id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  added_at timestamptz not null,
  primary key (tenant_id, organisation_id, user_id)
);
create index organisation_members_by_user on organisation_members (tenant_id, user_id);
select protect_tenant_table('organisation_members');

-- A role that a person has in an organisation and in all below it.
create table organisation_grants (
  tenant_id uuid not null,
  organisation_id uuid not null,
  user_id uuid not null,
  role_id uuid not null,
  until timestamptz,
  primary key (tenant_id, organisation_id, user_id, role_id)
);
create index organisation_grants_by_user on organisation_grants (tenant_id, user_id);
select protect_tenant_table('organisation_grants');
