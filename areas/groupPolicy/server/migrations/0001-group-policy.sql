create table gpos (
  tenant_id uuid not null,
  id uuid not null,
  -- As the directory has it, in small letters without braces.
  guid text not null,
  name text not null,
  -- Of the newest reading, and how many there are.
  read_at timestamptz not null,
  readings integer not null,
  primary key (tenant_id, id)
);
create unique index gpos_by_guid on gpos (tenant_id, guid);
create index gpos_by_name on gpos (tenant_id, lower(name));
select protect_tenant_table('gpos');

create table gpo_readings (
  tenant_id uuid not null,
  id uuid not null,
  gpo_id uuid not null,
  read_at timestamptz not null,
  read_by text not null,
  computer_version integer not null,
  user_version integer not null,
  -- What the backup says, as the room's reader writes it.
  content text not null,
  primary key (tenant_id, id)
);
create index gpo_readings_by_gpo on gpo_readings (tenant_id, gpo_id, read_at);
select protect_tenant_table('gpo_readings');
