-- Providers of single sign-on (OpenID Connect). Each has an address of its own: /oidc/portal/<public id>.
create table sso_providers (
  tenant_id uuid not null,
  id uuid not null,
  public_id text not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- Sealed under the tenancy's key; null where the client is public.
  secret_sealed bytea,
  tenant_key_id uuid,
  secret_set_at timestamptz,
  enabled boolean not null,
  settings jsonb not null,
  -- Who saved it last: nobody is linked who holds more than they do.
  saved_by uuid not null,
  saved_by_home uuid not null,
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index sso_providers_by_name on sso_providers (tenant_id, lower(name));
select protect_tenant_table('sso_providers');

-- Sign-ins on their way. What is secret of one is derived from its state, of which only the hash stands here.
create table sso_attempts (
  tenant_id uuid not null,
  state_hash text not null,
  provider_id uuid not null,
  provider_version integer not null,
  binding_hash text not null,
  redirect text not null,
  -- Set where somebody only tries the provider.
  try_id uuid,
  expires_at timestamptz not null,
  primary key (tenant_id, state_hash)
);
create index sso_attempts_by_expiry on sso_attempts (tenant_id, expires_at);
select protect_tenant_table('sso_attempts');

create table sso_tries (
  tenant_id uuid not null,
  id uuid not null,
  provider_id uuid not null,
  user_id uuid not null,
  begun_at timestamptz not null,
  ended_at timestamptz,
  claims jsonb not null,
  judgement jsonb,
  primary key (tenant_id, id)
);
create index sso_tries_by_begin on sso_tries (tenant_id, begun_at);
select protect_tenant_table('sso_tries');

-- Whose account an identity at a provider is. The issuer is part of it: a provider that is led elsewhere knows nobody.
create table sso_identities (
  tenant_id uuid not null,
  id uuid not null,
  provider_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  -- What the provider calls the person, for people to read.
  name text not null,
  linked_at timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, id)
);
create unique index sso_identities_by_subject on sso_identities (tenant_id, provider_id, issuer, subject);
create unique index sso_identities_by_user on sso_identities (tenant_id, user_id, provider_id, issuer);
select protect_tenant_table('sso_identities');
