create table directories (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null,
  host text not null,
  port integer not null,
  security text not null,
  -- Certificates that are trusted besides the public ones, PEM.
  roots text not null,
  bind_dn text not null,
  password_sealed bytea not null,
  tenant_key_id uuid not null,
  base_dn text not null,
  filter text not null,
  mapping jsonb not null,
  group_roles jsonb not null,
  approval text not null,
  invite boolean not null,
  nightly boolean not null,
  -- Whose rights the nightly run uses.
  owner_id uuid not null,
  -- How many people the last complete run saw.
  seen integer not null default 0,
  version integer not null default 1,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index directories_by_name on directories (tenant_id, lower(name));
select protect_tenant_table('directories');

create table directory_entries (
  tenant_id uuid not null,
  directory_id uuid not null,
  guid text not null,
  user_id uuid not null,
  -- Of what the directory said when it was last taken over.
  hash text not null,
  -- Whether the directory is why the account is disabled.
  disabled boolean not null default false,
  primary key (tenant_id, directory_id, guid)
);
create unique index directory_entries_by_user on directory_entries (tenant_id, user_id);
select protect_tenant_table('directory_entries');

create table directory_runs (
  tenant_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  status text not null,
  -- Why it is held, or why it failed.
  reason text not null,
  seen integer not null,
  planned_by uuid,
  planner text not null,
  approved_by uuid,
  approver text not null,
  planned_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, id)
);
create index directory_runs_by_directory on directory_runs (tenant_id, directory_id, planned_at desc);
create index directory_runs_running on directory_runs (tenant_id, id) where status = 'running';
select protect_tenant_table('directory_runs');

create table directory_changes (
  tenant_id uuid not null,
  run_id uuid not null,
  position integer not null,
  kind text not null,
  guid text not null,
  name text not null,
  user_id uuid,
  -- What would be different: the name of an attribute, what it is here, what it is there.
  fields jsonb not null,
  role_ids text[] not null,
  hash text not null,
  state text not null,
  says text not null,
  primary key (tenant_id, run_id, position)
);
create index directory_changes_open on directory_changes (tenant_id, run_id, position) where state = 'planned';
select protect_tenant_table('directory_changes');
