-- Machines that show by their TPM where their key is: who was challenged, with what, and what came of it.
create table tpm_attempts (
  tenant_id uuid not null,
  id uuid not null,
  requester_id uuid not null,
  requester text not null,
  template_id uuid not null,
  manufacturer text not null,
  ek_sha256 text not null,
  -- The attestation key (TPM2B_PUBLIC), which the challenge is bound to.
  ak_public bytea not null,
  secret_hash text not null,
  qualifying_data bytea not null,
  state text not null,
  reason text not null,
  request_id uuid,
  address text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index tpm_attempts_by_time on tpm_attempts (tenant_id, created_at);
select protect_tenant_table('tpm_attempts');
