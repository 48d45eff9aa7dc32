-- An ACME authority of somebody else, and our account there.
create table external_acme_authorities (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  directory_url text not null,
  contact text[] not null,
  eab_kid text not null,
  eab_sealed bytea,
  eab_tenant_key_id uuid,
  -- The end of the chain that is wanted, where the authority offers several (RFC 8555 7.4.2).
  preferred_chain text not null,
  -- PEM of roots that its web server is checked by, instead of the public ones.
  roots text not null,
  -- The key of the account (PKCS#8), and the account's address once it is registered.
  account_key_sealed bytea not null,
  tenant_key_id uuid not null,
  account_url text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index external_acme_authorities_by_name on external_acme_authorities (tenant_id, lower(name));
select protect_tenant_table('external_acme_authorities');

-- A way to put records into the DNS.
create table dns_responders (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  settings jsonb not null,
  secret_sealed bytea not null,
  tenant_key_id uuid not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index dns_responders_by_name on dns_responders (tenant_id, lower(name));
select protect_tenant_table('dns_responders');

-- A certificate that is ordered and renewed, and how far the order has come.
create table external_acme_orders (
  tenant_id uuid not null,
  id uuid not null,
  authority_id uuid not null,
  names text[] not null,
  -- forward, file, record or responder.
  proof text not null,
  responder_id uuid,
  -- Null: a CSR was brought.
  key_kind text,
  csr bytea,
  profile text not null,
  renews boolean not null,
  owner_id uuid not null,
  owner_name text not null,
  created_at timestamptz not null,
  -- The next of the six steps, or done.
  step text not null,
  -- Goes on by itself.
  runs boolean not null,
  next_at timestamptz not null,
  -- Who works on it now, so that two servers do not take the same step.
  claim uuid,
  claimed_until timestamptz,
  failures integer not null,
  problem jsonb,
  -- What the authority said: addresses of the order, authorisations and challenges.
  state jsonb not null,
  -- The last nonce of each of the four steps that are signed for.
  nonces jsonb not null,
  -- The key of the certificate that is being ordered.
  new_key_sealed bytea,
  new_csr bytea,
  tenant_key_id uuid,
  -- What was obtained last; its key until the owner has collected it.
  certificate_id uuid,
  not_before timestamptz,
  not_after timestamptz,
  chain text not null,
  key_sealed bytea,
  key_tenant_key_id uuid,
  -- When it is renewed, and the window that the authority suggests (RFC 9773).
  renew_at timestamptz,
  ari jsonb,
  ari_check_at timestamptz,
  primary key (tenant_id, id)
);
create index external_acme_orders_by_time on external_acme_orders (tenant_id, created_at desc);
create index external_acme_orders_that_run on external_acme_orders (tenant_id, next_at) where runs;
create index external_acme_orders_to_renew on external_acme_orders (tenant_id, renew_at) where renew_at is not null;
create index external_acme_orders_by_certificate on external_acme_orders (tenant_id, certificate_id) where certificate_id is not null;
select protect_tenant_table('external_acme_orders');

-- What happened to an order, for whoever asks why.
create table external_acme_attempts (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  at timestamptz not null,
  step text not null,
  outcome text not null,
  detail text not null,
  primary key (tenant_id, id)
);
create index external_acme_attempts_by_order on external_acme_attempts (tenant_id, order_id, at desc);
select protect_tenant_table('external_acme_attempts');

-- Files that answer http-01, where the web server of a name forwards to us.
create table acme_challenge_files (
  tenant_id uuid not null,
  token text not null,
  order_id uuid not null,
  content text not null,
  primary key (tenant_id, token)
);
create index acme_challenge_files_by_order on acme_challenge_files (tenant_id, order_id);
select protect_tenant_table('acme_challenge_files');

-- Where the web servers of a tenancy's names forward to.
create table acme_challenge_addresses (
  tenant_id uuid not null,
  public_id text not null,
  primary key (tenant_id)
);
select protect_tenant_table('acme_challenge_addresses');
