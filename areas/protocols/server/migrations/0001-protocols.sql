-- A profile is an enrolment server of one protocol at a public address: its template, and how whoever comes proves that it may.
create table enrolment_profiles (
  tenant_id uuid not null,
  id uuid not null,
  public_id text not null,
  protocol text not null,
  name text not null,
  enabled boolean not null,
  template_id uuid not null,
  settings jsonb not null,
  -- In whose name its certificates are asked for: whoever changed it last.
  owner_id uuid not null,
  owner_name text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index enrolment_profiles_by_name on enrolment_profiles (tenant_id, protocol, lower(name));
select protect_tenant_table('enrolment_profiles');

-- The key by which a profile opens and signs messages (RFC 8894 registration authority, RFC 9810 5.1.3.3), certified by the authority of its template.
create table enrolment_registrars (
  tenant_id uuid not null,
  id uuid not null,
  profile_id uuid not null,
  ca_id uuid not null,
  key_sealed bytea not null,
  tenant_key_id uuid not null,
  serial_hex text not null,
  -- Null while its signature is outstanding.
  certificate bytea,
  not_before timestamptz not null,
  not_after timestamptz not null,
  made_at timestamptz not null,
  primary key (tenant_id, id)
);
create index enrolment_registrars_by_profile on enrolment_registrars (tenant_id, profile_id, made_at);
select protect_tenant_table('enrolment_registrars');

-- What lets somebody enrol: a SCEP challenge, the password of an EST client, the shared secret of CMP.
create table enrolment_secrets (
  tenant_id uuid not null,
  id uuid not null,
  profile_id uuid not null,
  name text not null,
  -- The reference by which CMP names it, and the user name of EST.
  reference text not null,
  -- By source, the names that it is good for. None: whatever the template allows.
  names jsonb not null,
  secret_hash text not null,
  -- CMP computes with it; a SCEP challenge is kept until it is shown.
  secret_sealed bytea,
  tenant_key_id uuid,
  -- Of the link behind which a SCEP challenge is shown, once.
  link_hash text,
  revealed_at timestamptz,
  -- Null: as often as somebody comes.
  uses_left integer,
  expires_at timestamptz not null,
  ended_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  primary key (tenant_id, id)
);
create unique index enrolment_secrets_by_hash on enrolment_secrets (tenant_id, profile_id, secret_hash);
create unique index enrolment_secrets_by_reference on enrolment_secrets (tenant_id, profile_id, reference);
create unique index enrolment_secrets_by_link on enrolment_secrets (tenant_id, link_hash) where link_hash is not null;
create index enrolment_secrets_by_time on enrolment_secrets (tenant_id, created_at);
select protect_tenant_table('enrolment_secrets');

create table enrolment_transactions (
  tenant_id uuid not null,
  id uuid not null,
  profile_id uuid not null,
  -- What the protocol tells two requests apart by: the same again is answered the same.
  key text not null,
  -- Of the try: another one of a transaction that came to nothing is another request.
  attempt uuid not null,
  kind text not null,
  state text not null,
  key_hash text not null,
  csr bytea,
  names jsonb not null,
  subject text not null,
  secret_id uuid,
  renews uuid,
  -- In whose name it is asked for.
  requester_id uuid not null,
  request_id uuid,
  certificate_id uuid,
  code text not null,
  reason text not null,
  -- Until then the client must confirm its certificate (RFC 9810 5.3.18); null where it need not, or has.
  confirm_by timestamptz,
  address text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index enrolment_transactions_by_key on enrolment_transactions (tenant_id, profile_id, key);
create index enrolment_transactions_by_time on enrolment_transactions (tenant_id, created_at);
create index enrolment_transactions_open on enrolment_transactions (tenant_id, updated_at) where state in ('processing', 'pending');
create index enrolment_transactions_unconfirmed on enrolment_transactions (tenant_id, confirm_by) where confirm_by is not null;
create index enrolment_transactions_by_certificate on enrolment_transactions (tenant_id, certificate_id) where certificate_id is not null;
select protect_tenant_table('enrolment_transactions');
