-- A sensitive group of a person's attributes, sealed under the tenancy's key.
create table sealed_attributes (
  tenant_id uuid not null,
  user_id uuid not null,
  group_name text not null,
  sealed bytea not null,
  tenant_key_id uuid not null,
  primary key (tenant_id, user_id, group_name)
);
select protect_tenant_table('sealed_attributes');

-- Who was shown a sensitive group of a person, and what for.
create table attribute_reads (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  group_name text not null,
  reader_id uuid not null,
  reader text not null,
  purpose text not null,
  read_at timestamptz not null,
  primary key (tenant_id, id)
);
create index attribute_reads_by_user on attribute_reads (tenant_id, user_id, read_at desc, id desc);
select protect_tenant_table('attribute_reads');

create table user_photos (
  tenant_id uuid not null,
  user_id uuid not null,
  type text not null,
  bytes bytea not null,
  taken_at timestamptz not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('user_photos');
