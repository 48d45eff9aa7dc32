-- Keys of certificates that were revoked because the key was compromised: none of them is certified again, in whatever request it comes.
create table compromised_keys (
  tenant_id uuid not null,
  -- SHA-256 of the SubjectPublicKeyInfo, in hex.
  key_sha256 text not null,
  since timestamptz not null,
  certificate_id uuid not null,
  primary key (tenant_id, key_sha256)
);
select protect_tenant_table('compromised_keys');
