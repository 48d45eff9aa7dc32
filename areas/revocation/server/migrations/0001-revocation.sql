-- One row for each revocation that somebody asked for, whatever became of it.
create table revocations (
  tenant_id uuid not null,
  id uuid not null,
  certificate_id uuid not null,
  ca_id uuid,
  serial_hex text not null,
  subject text not null,
  reason text not null,
  invalidity_date timestamptz,
  note text not null,
  state text not null check (state in ('pending', 'revoked', 'denied', 'cancelled', 'failed')),
  failure_code text,
  requester_id uuid not null,
  requester text not null,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  primary key (tenant_id, id)
);
-- Two people who ask at once, or one who clicks twice, wait for one decision.
create unique index revocations_open on revocations (tenant_id, certificate_id) where state = 'pending';
create index revocations_by_certificate on revocations (tenant_id, certificate_id, requested_at desc);
create index revocations_by_time on revocations (tenant_id, requested_at desc, id);
select protect_tenant_table('revocations');

-- Counts what changed in the status of an authority's certificates. OCSP answers are kept in memory while it stands still; a CRL says
-- which count it covers, and is due when it fell behind.
create table status_revisions (
  tenant_id uuid not null,
  ca_id uuid not null,
  revision bigint not null,
  primary key (tenant_id, ca_id)
);
select protect_tenant_table('status_revisions');

-- One row for each CRL, written with the bytes to be signed before they are signed. A number is never used twice: what a crash left unsigned is
-- signed as it stands. Of old lists the bytes go, the row and its hash stay.
create table crls (
  tenant_id uuid not null,
  ca_id uuid not null,
  number bigint not null,
  revision bigint not null,
  entry_count integer not null,
  this_update timestamptz not null,
  next_update timestamptz not null,
  algorithm text not null,
  to_be_signed bytea,
  to_be_signed_sha256 bytea not null,
  der bytea,
  etag text,
  primary key (tenant_id, ca_id, number)
);
select protect_tenant_table('crls');
