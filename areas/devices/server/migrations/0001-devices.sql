create table devices (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  hostname text not null,
  type text not null,
  status text not null,
  owner_user_id uuid,
  organisation_id uuid,
  location_id uuid,
  note text not null,
  -- Of the claims the serial number that the lists show.
  serial text not null,
  -- Who told of it first.
  source text not null,
  added_at timestamptz not null,
  modified_at timestamptz not null,
  seen_at timestamptz,
  -- The device that it turned out to be. It is in no list, and comes back where the merge is undone.
  merged_into uuid,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create index devices_by_name on devices (tenant_id, name, id) where merged_into is null;
create index devices_by_hostname on devices (tenant_id, hostname) where hostname <> '';
create index devices_by_owner on devices (tenant_id, owner_user_id) where owner_user_id is not null;
create index devices_by_organisation on devices (tenant_id, organisation_id) where organisation_id is not null;
create index devices_by_merge on devices (tenant_id, merged_into) where merged_into is not null;
select protect_tenant_table('devices');

-- A claim: a source says that a device is known by this. Two devices may claim the same: that is a conflict, never an overwrite.
create table device_claims (
  tenant_id uuid not null,
  device_id uuid not null,
  kind text not null,
  value text not null,
  source text not null,
  added_at timestamptz not null,
  -- Where a merge took it from, so that it can be given back.
  moved_from uuid,
  primary key (tenant_id, device_id, kind, value, source)
);
create index device_claims_by_value on device_claims (tenant_id, kind, value);
select protect_tenant_table('device_claims');

-- By what a source knows a device: the id of a program and its own id.
create table device_sources (
  tenant_id uuid not null,
  source text not null,
  key text not null,
  device_id uuid not null,
  moved_from uuid,
  primary key (tenant_id, source, key)
);
create index device_sources_by_device on device_sources (tenant_id, device_id);
select protect_tenant_table('device_sources');

create table device_conflicts (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  value text not null,
  state text not null,
  found_at timestamptz not null,
  decided_at timestamptz,
  decided_by text not null default '',
  kept_id uuid,
  -- Those that were merged, or are kept apart.
  device_ids uuid[] not null,
  primary key (tenant_id, id)
);
create unique index device_conflicts_open on device_conflicts (tenant_id, kind, value) where state = 'open';
create index device_conflicts_by_state on device_conflicts (tenant_id, state, found_at desc, id);
select protect_tenant_table('device_conflicts');

create table device_endpoints (
  tenant_id uuid not null,
  id uuid not null,
  device_id uuid not null,
  name text not null,
  mac text not null,
  address text not null,
  port integer not null,
  protocol text not null,
  -- The name that is asked for in the handshake.
  server_name text not null,
  moved_from uuid,
  primary key (tenant_id, id)
);
create index device_endpoints_by_device on device_endpoints (tenant_id, device_id);
create index device_endpoints_by_address on device_endpoints (tenant_id, address, port);
select protect_tenant_table('device_endpoints');

-- Which certificate an endpoint should serve, and which it was seen to serve.
create table endpoint_certificates (
  tenant_id uuid not null,
  endpoint_id uuid not null,
  fingerprint text not null,
  should boolean not null,
  seen_first timestamptz,
  seen_last timestamptz,
  primary key (tenant_id, endpoint_id, fingerprint)
);
select protect_tenant_table('endpoint_certificates');

create table device_types (
  tenant_id uuid not null,
  name text not null,
  primary key (tenant_id, name)
);
select protect_tenant_table('device_types');

-- A system that manages devices, asked for them every hour.
create table mdm_sources (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- Certificates that are trusted besides the public ones, PEM.
  roots text not null,
  device_type text not null,
  active boolean not null,
  sealed_token bytea not null,
  tenant_key_id uuid not null,
  state text not null,
  says text not null,
  seen integer not null,
  synced_at timestamptz,
  added_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index mdm_sources_by_name on mdm_sources (tenant_id, lower(name));
select protect_tenant_table('mdm_sources');
