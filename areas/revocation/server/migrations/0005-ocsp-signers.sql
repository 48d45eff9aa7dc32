-- Who signs an authority's OCSP answers in its stead. The row, with its key, is committed together with the reservation of its certificate, before that is
-- signed. Ended: it signs no more, because another has taken over, nobody wants one any more, or its key is exposed.
create table ocsp_signers (
  tenant_id uuid not null,
  id uuid not null,
  ca_id uuid not null,
  key_id uuid not null,
  key_algorithm text not null,
  serial_hex text not null,
  certificate bytea,
  not_before timestamptz not null,
  not_after timestamptz not null,
  made_at timestamptz not null,
  ended_at timestamptz,
  ended_as text check (ended_as in ('renewed', 'unwanted', 'compromised')),
  -- Its private key is gone, so that nobody can take what nobody needs.
  key_destroyed boolean not null default false,
  primary key (tenant_id, id),
  check ((ended_at is null) = (ended_as is null))
);
create index ocsp_signers_by_authority on ocsp_signers (tenant_id, ca_id, made_at desc);
-- Two who make one at once make one.
create unique index ocsp_signers_unsigned on ocsp_signers (tenant_id, ca_id) where certificate is null and ended_at is null;
select protect_tenant_table('ocsp_signers');

-- Where the signer's key lives: in the database, or on the token of the authority's.
alter table status_settings add column signer_on_token boolean not null default false;
