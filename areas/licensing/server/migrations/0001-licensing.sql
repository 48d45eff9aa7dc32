-- Authorities that are not ours, known by their certificate: who issued what is uploaded, and what a chain may end in.
create table registered_authorities (
  tenant_id uuid not null,
  id uuid not null,
  friendly_name text not null,
  subject text not null,
  issuer text not null,
  serial_hex text not null,
  key_text text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  fingerprint_sha256 text not null,
  certificate bytea not null,
  registered_by text not null,
  registered_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index registered_authorities_by_fingerprint on registered_authorities (tenant_id, fingerprint_sha256);
create unique index registered_authorities_by_name on registered_authorities (tenant_id, lower(friendly_name));
select protect_tenant_table('registered_authorities');

-- The roots of TPM manufacturers that this tenancy accepts.
create table attestation_roots (
  tenant_id uuid not null,
  id uuid not null,
  manufacturer text not null,
  subject text not null,
  serial_hex text not null,
  key_text text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  fingerprint_sha256 text not null,
  certificate bytea not null,
  added_by text not null,
  added_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index attestation_roots_by_fingerprint on attestation_roots (tenant_id, fingerprint_sha256);
select protect_tenant_table('attestation_roots');
