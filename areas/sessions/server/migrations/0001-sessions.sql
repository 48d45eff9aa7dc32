create table sessions (
  tenant_id uuid not null,
  id uuid not null,
  secret_hash text not null,
  user_id uuid not null,
  -- 'pending' is between password and code and opens nothing but the code call.
  stage text not null check (stage in ('pending', 'open')),
  working_tenant_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null,
  primary key (tenant_id, id)
);
create unique index sessions_by_secret on sessions (tenant_id, secret_hash);
create index sessions_by_user on sessions (tenant_id, user_id);
create index sessions_by_expiry on sessions (tenant_id, expires_at);
select protect_tenant_table('sessions');

create table code_secrets (
  tenant_id uuid not null,
  user_id uuid not null,
  -- Sealed by the installation key.
  secret bytea not null,
  -- A code of it has been given: before, it is an offer that the next sign-in shows again.
  confirmed boolean not null,
  last_step bigint not null,
  -- An offer beside a confirmed secret, until a code of it was given.
  offered bytea,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('code_secrets');

create table recovery_codes (
  tenant_id uuid not null,
  user_id uuid not null,
  code_hash text not null,
  primary key (tenant_id, user_id, code_hash)
);
select protect_tenant_table('recovery_codes');

create table api_tokens (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  secret_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, id)
);
create unique index api_tokens_by_secret on api_tokens (tenant_id, secret_hash);
create index api_tokens_by_user on api_tokens (tenant_id, user_id, created_at desc);
select protect_tenant_table('api_tokens');
