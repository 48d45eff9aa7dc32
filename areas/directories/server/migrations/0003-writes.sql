-- Whether accounts of the directory may be made, changed and deleted from here, and where new ones stand.
alter table directories add column writable boolean not null default false;
alter table directories add column people_base text not null default '';

-- One change of one account in a directory: planned, shown, then made exactly so.
create table directory_writes (
  tenant_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  user_id uuid not null,
  action text not null,
  -- Where it is moved to, or the group.
  target text not null,
  dn text not null,
  -- By the names of the directory: what is there, and what will be.
  changes jsonb not null,
  state text not null,
  says text not null,
  planned_by uuid not null,
  planner text not null,
  planned_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, id)
);
create index directory_writes_of_person on directory_writes (tenant_id, user_id, planned_at desc);
create index directory_writes_by_directory on directory_writes (tenant_id, directory_id);
select protect_tenant_table('directory_writes');
