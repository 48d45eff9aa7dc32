-- A directory is an ACME server of its own at a public address: which templates it offers as profiles, who may come, and how names are proven.
create table acme_directories (
  tenant_id uuid not null,
  id uuid not null,
  public_id text not null,
  name text not null,
  enabled boolean not null,
  settings jsonb not null,
  -- In whose name its certificates are asked for: whoever changed it last.
  owner_id uuid not null,
  owner_name text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index acme_directories_by_name on acme_directories (tenant_id, lower(name));
select protect_tenant_table('acme_directories');

-- Keys of external accounts (RFC 8555 7.3.4). The id is the kid.
create table acme_eabs (
  tenant_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  name text not null,
  mac_sealed bytea not null,
  tenant_key_id uuid not null,
  -- Patterns such as example.org and *.example.org, and networks. None: whatever the template allows.
  names text[] not null,
  -- Null: for as many accounts as come.
  uses_left integer,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  primary key (tenant_id, id)
);
create index acme_eabs_by_directory on acme_eabs (tenant_id, directory_id, created_at);
select protect_tenant_table('acme_eabs');

create table acme_accounts (
  tenant_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  -- RFC 7638 of its key.
  thumbprint text not null,
  jwk jsonb not null,
  status text not null,
  contact text[] not null,
  eab_id uuid,
  -- The binding as it was sent: the account shows it again (RFC 8555 7.1.2).
  binding jsonb,
  address text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index acme_accounts_by_key on acme_accounts (tenant_id, directory_id, thumbprint);
create index acme_accounts_by_eab on acme_accounts (tenant_id, eab_id) where eab_id is not null;
select protect_tenant_table('acme_accounts');

create table acme_orders (
  tenant_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  account_id uuid not null,
  profile text not null,
  template_id uuid not null,
  identifiers jsonb not null,
  -- The identifiers as one text, for whoever looks for a name.
  names text not null,
  authorization_ids uuid[] not null,
  -- pending stands for ready as well: that follows from the authorisations.
  status text not null,
  -- What it replaces (RFC 9773), by the name that the client gave; one order for each.
  replaces text,
  -- In whose name its certificate is asked for, from finalisation on.
  requester_id uuid,
  csr bytea,
  request_id uuid,
  certificate_id uuid,
  error jsonb,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  finalized_at timestamptz,
  primary key (tenant_id, id)
);
create index acme_orders_by_account on acme_orders (tenant_id, account_id, id);
create index acme_orders_by_certificate on acme_orders (tenant_id, certificate_id) where certificate_id is not null;
create index acme_orders_by_request on acme_orders (tenant_id, request_id) where request_id is not null;
create index acme_orders_processing on acme_orders (tenant_id, finalized_at) where status = 'processing';
create index acme_orders_ending on acme_orders (tenant_id, expires_at) where status = 'pending';
create unique index acme_orders_by_replaced on acme_orders (tenant_id, replaces) where replaces is not null and status <> 'invalid';
select protect_tenant_table('acme_orders');

create table acme_authorizations (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  type text not null,
  value text not null,
  wildcard boolean not null,
  status text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  -- A challenge of it is being looked at since then; nobody looks at two at once.
  began_at timestamptz,
  -- The challenge that proved it, and when CAA records were read last.
  method text,
  caa_checked_at timestamptz,
  primary key (tenant_id, id)
);
create index acme_authorizations_by_name on acme_authorizations (tenant_id, account_id, type, value);
create index acme_authorizations_at_work on acme_authorizations (tenant_id, began_at) where began_at is not null;
select protect_tenant_table('acme_authorizations');

create table acme_challenges (
  tenant_id uuid not null,
  id uuid not null,
  authorization_id uuid not null,
  type text not null,
  token text not null,
  status text not null,
  -- What the client sent with it, of a device its attestation.
  response jsonb,
  validated_at timestamptz,
  attempts integer not null default 0,
  error jsonb,
  -- What was seen from where, each attempt's last.
  evidence jsonb not null default '[]',
  primary key (tenant_id, id)
);
create index acme_challenges_by_authorization on acme_challenges (tenant_id, authorization_id);
select protect_tenant_table('acme_challenges');
