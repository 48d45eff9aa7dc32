-- Authorities. One without a certificate waits: for its own signature (a moment, or until recovery after a crash), or for that of an outside authority.
create table authorities (
  tenant_id uuid not null,
  id uuid not null,
  public_id text not null,
  friendly_name text not null,
  kind text not null check (kind in ('root', 'subordinate', 'outside')),
  issuer_id uuid,
  key_id uuid not null,
  key_algorithm text not null,
  key_identifier bytea not null,
  signature_algorithm text not null,
  subject bytea not null,
  subject_text text not null,
  path_length integer,
  certificate bytea,
  issuer_chain bytea[] not null,
  not_before timestamptz,
  not_after timestamptz,
  request bytea,
  issuing boolean not null,
  crl_url text not null,
  ocsp_url text not null,
  ca_issuers_url text not null,
  request_key text,
  created_at timestamptz not null,
  certified_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, issuer_id) references authorities (tenant_id, id),
  check ((kind = 'subordinate') = (issuer_id is not null)),
  check ((certificate is null) = (certified_at is null))
);
create unique index authorities_by_name on authorities (tenant_id, lower(friendly_name));
create unique index authorities_by_public_id on authorities (tenant_id, public_id);
create unique index authorities_by_request on authorities (tenant_id, request_key) where request_key is not null;
select protect_tenant_table('authorities');

-- Every certificate that an authority has ever promised to sign. The row, with the exact bytes to be signed, is committed before the signature
-- is made; it lives with the authority's owner, whoever asked for the certificate. The bytes are kept until the signature is stored.
create table serials (
  tenant_id uuid not null,
  ca_id uuid not null,
  serial bytea not null check (octet_length(serial) = 16),
  state text not null check (state in ('reserved', 'signed')),
  tbs bytea,
  signature_algorithm text not null,
  about_kind text not null check (about_kind in ('certificate', 'authority')),
  about_id uuid not null,
  certificate_hash bytea,
  not_after timestamptz not null,
  reserved_at timestamptz not null,
  signed_at timestamptz,
  revoked_at timestamptz,
  revocation_reason text,
  invalidity_date timestamptz,
  primary key (tenant_id, ca_id, serial),
  foreign key (tenant_id, ca_id) references authorities (tenant_id, id),
  check ((state = 'reserved') = (tbs is not null)),
  check ((state = 'signed') = (certificate_hash is not null)),
  check ((revoked_at is null) = (revocation_reason is null))
);
create index serials_unsigned on serials (tenant_id, reserved_at) where state = 'reserved';
create index serials_revoked on serials (tenant_id, ca_id, serial) where revoked_at is not null;
create index serials_revoked_authorities on serials (tenant_id, about_id) where about_kind = 'authority' and revoked_at is not null;
create index serials_by_subject on serials (tenant_id, about_id);
select protect_tenant_table('serials');
revoke delete on serials, authorities from chancery_app;
