create table fido_providers (
  tenant_id uuid not null,
  directory_id text not null,
  client_id text not null,
  secret_sealed bytea not null,
  tenant_key_id uuid not null,
  login_url text not null,
  graph_url text not null,
  enabled boolean not null,
  version integer not null default 1,
  -- Of a sync that goes on: when it began, and where it is.
  run_began_at timestamptz,
  run_link text not null default '',
  run_people integer not null default 0,
  last_sync_at timestamptz,
  people integer not null default 0,
  trouble text not null default '',
  -- The provider asked to be left alone until then.
  wait_until timestamptz,
  primary key (tenant_id)
);
select protect_tenant_table('fido_providers');

create table synced_fido_credentials (
  tenant_id uuid not null,
  id uuid not null,
  credential_id text not null,
  provider_user_id text not null,
  account text not null,
  user_id uuid,
  provider_name text not null,
  custom_name text not null,
  model text not null,
  aaguid text not null,
  attestation text not null,
  created_at timestamptz,
  seen_at timestamptz not null,
  state text not null,
  marked_at timestamptz,
  marked_by text not null,
  trouble text not null,
  -- A deletion is tried again then.
  try_at timestamptz,
  tries integer not null default 0,
  -- What left with the person, who is not at the provider any more.
  left_at timestamptz,
  primary key (tenant_id, id)
);
create unique index synced_fido_credentials_by_credential on synced_fido_credentials (tenant_id, credential_id);
create index synced_fido_credentials_by_person on synced_fido_credentials (tenant_id, user_id) where user_id is not null;
create index synced_fido_credentials_by_account on synced_fido_credentials (tenant_id, provider_user_id);
create index synced_fido_credentials_deleting on synced_fido_credentials (tenant_id, try_at) where state = 'deleting';
select protect_tenant_table('synced_fido_credentials');
