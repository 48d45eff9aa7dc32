-- One row a tenancy: who changes the shape of locations or subnets holds it, so that changes come one after the other.
create table network_trees (
  tenant_id uuid primary key
);
select protect_tenant_table('network_trees');

create table locations (
  tenant_id uuid not null,
  id uuid not null,
  parent_id uuid,
  kind text not null,
  name text not null,
  code text not null,
  time_zone text not null,
  contact text not null,
  note text not null,
  -- Where visitors are received: the desk, its hours, what it hands out.
  receives boolean not null default false,
  desk text not null default '',
  hours text not null default '',
  pass_types text[] not null default '{}',
  printer text not null default '',
  access_group text not null default '',
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index locations_by_name on locations (tenant_id, coalesce(parent_id, '00000000-0000-0000-0000-000000000000'), lower(name));
select protect_tenant_table('locations');

create table vlans (
  tenant_id uuid not null,
  id uuid not null,
  group_name text not null,
  vid integer not null check (vid between 1 and 4094),
  name text not null,
  location_id uuid,
  note text not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index vlans_by_vid on vlans (tenant_id, lower(group_name), vid);
select protect_tenant_table('vlans');

-- Subnets of a space are nested or apart. What an address lies in is asked as first <= a and last >= a, because the operators for containment
-- are not leak-proof and would use no index under row security.
create table ip_prefixes (
  tenant_id uuid not null,
  id uuid not null,
  space text not null,
  first inet not null,
  last inet not null,
  prefix_length integer not null,
  parent_id uuid,
  kind text not null,
  name text not null,
  vlan_id uuid,
  location_id uuid,
  note text not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index ip_prefixes_by_range on ip_prefixes (tenant_id, space, first, last);
create index ip_prefixes_by_parent on ip_prefixes (tenant_id, parent_id);
select protect_tenant_table('ip_prefixes');

create table ip_addresses (
  tenant_id uuid not null,
  space text not null,
  address inet not null,
  state text not null,
  name text not null,
  mac text not null,
  device_id uuid,
  note text not null,
  seen_at timestamptz,
  seen_mac text not null default '',
  reserved_until timestamptz,
  primary key (tenant_id, space, address)
);
create index ip_addresses_by_device on ip_addresses (tenant_id, device_id) where device_id is not null;
select protect_tenant_table('ip_addresses');
