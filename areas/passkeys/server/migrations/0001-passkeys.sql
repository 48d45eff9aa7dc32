create table passkeys (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- As the authenticator gave it, base64url.
  credential_id text not null,
  public_key bytea not null,
  algorithm integer not null,
  counter bigint not null,
  custom_name text not null,
  aaguid text not null,
  -- 'verified': a statement led to a root of the metadata; else the model is only what the device says of itself.
  attestation text not null check (attestation in ('none', 'unverified', 'verified')),
  backup_eligible boolean not null,
  backed_up boolean not null,
  transports text[] not null,
  -- The host that it works at.
  rp_id text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Set where its counter fell back: there may be a copy.
  blocked_at timestamptz,
  primary key (tenant_id, id)
);
create unique index passkeys_by_credential on passkeys (tenant_id, credential_id);
create index passkeys_by_user on passkeys (tenant_id, user_id, created_at);
select protect_tenant_table('passkeys');

-- One row for a tenancy that has chosen; without one, every passkey is allowed.
create table passkey_policies (
  tenant_id uuid not null primary key,
  device_bound boolean not null,
  -- AAGUIDs; empty allows every model.
  models text[] not null,
  version integer not null
);
select protect_tenant_table('passkey_policies');

-- What manufacturers say of their models, as somebody imported it.
create table authenticator_models (
  tenant_id uuid not null,
  aaguid text not null,
  name text not null,
  -- A data address of an image, or empty.
  icon text not null,
  -- Certificates that statements of this model lead to.
  roots bytea[] not null,
  -- As FIDO reports it: not to be trusted any more.
  compromised boolean not null,
  imported_at timestamptz not null,
  primary key (tenant_id, aaguid)
);
select protect_tenant_table('authenticator_models');

-- Challenges that were answered, until they are too old to be answered. Of the installation: whose a challenge is shows only in its answer.
create table spent_challenges (
  challenge_hash text primary key,
  expires_at timestamptz not null
);
create index spent_challenges_by_expiry on spent_challenges (expires_at);
grant select, insert, delete on spent_challenges to chancery_app;
comment on table spent_challenges is 'backup: left out';
