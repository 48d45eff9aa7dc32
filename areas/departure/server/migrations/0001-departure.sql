-- One file of everything of a tenancy, made table by table: each part is a file of the archive and one commit, so that a crash loses one part.
create table tenancy_exports (
  tenant_id uuid not null,
  id uuid not null,
  state text not null check (state in ('running', 'ready', 'taken', 'failed')),
  asked_by uuid not null,
  asked_name text not null,
  asked_at timestamptz not null,
  tables integer not null,
  tables_done integer not null,
  -- Behind which row of the table that is under way the next part begins: its key as text, null at its beginning.
  after text[],
  rows bigint not null,
  bytes bigint not null,
  primary key (tenant_id, id)
);
create unique index tenancy_exports_one_running on tenancy_exports (tenant_id) where state = 'running';
select protect_tenant_table('tenancy_exports');

create table tenancy_export_parts (
  tenant_id uuid not null,
  export_id uuid not null,
  number integer not null,
  name text not null,
  crc bigint not null,
  size bigint not null,
  packed bytea not null,
  primary key (tenant_id, export_id, number),
  foreign key (tenant_id, export_id) references tenancy_exports (tenant_id, id) on delete cascade
);
select protect_tenant_table('tenancy_export_parts');

-- What was removed of a tenancy so far, by table: a removal that a crash broke off goes on, and its certificate counts all of it.
create table tenancy_removals (
  tenant_id uuid not null,
  table_name text not null,
  rows bigint not null,
  primary key (tenant_id, table_name)
);
select protect_tenant_table('tenancy_removals');

comment on table tenancy_exports is 'backup: left out';
comment on table tenancy_export_parts is 'backup: left out';
