-- Requests, the certificates that came of them, and what they are found by.

create table certificate_requests (
  tenant_id uuid not null,
  id uuid not null,
  stage text not null check (stage in ('waiting', 'awaitingKey', 'approved', 'reserved', 'issued', 'denied', 'withdrawn', 'failed')),
  entity text not null check (entity in ('user', 'device')),
  class text not null,
  template_id uuid not null,
  template_name text not null,
  template_version integer not null,
  ca_id uuid not null,
  ca_name text not null,
  requester_id uuid not null,
  requester text not null,
  holder_user_id uuid,
  -- The CSR as it came, or none where the server makes the key.
  csr bytea,
  key_kind text,
  public_key bytea,
  -- Draft, usages and validity as the template had them when it was asked: a later change does not reach back.
  plan jsonb not null,
  findings jsonb not null,
  subject text not null,
  typed jsonb not null,
  friendly_name text not null,
  contact_email text not null,
  comment text not null,
  approvers_needed integer not null,
  revocation_approvers integer not null,
  serial_hex text,
  certificate_id uuid,
  error text not null default '',
  idempotency_key text not null,
  input_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index certificate_requests_by_key on certificate_requests (tenant_id, requester_id, idempotency_key);
create index certificate_requests_by_requester on certificate_requests (tenant_id, requester_id, created_at desc);
create index certificate_requests_by_time on certificate_requests (tenant_id, created_at desc, id);
create index certificate_requests_unfinished on certificate_requests (tenant_id, updated_at) where stage in ('approved', 'reserved');
select protect_tenant_table('certificate_requests');

create table certificates (
  tenant_id uuid not null,
  id uuid not null,
  -- None for a certificate of an authority that is not ours.
  ca_id uuid,
  ca_name text not null,
  serial_hex text not null,
  request_id uuid,
  template_id uuid,
  template_name text not null,
  class text not null,
  entity text not null,
  name text not null,
  subject text not null,
  sans text[] not null,
  email text not null,
  holder_user_id uuid,
  holder text not null,
  device_name text not null,
  device_serial text not null,
  requester_id uuid,
  requester text not null,
  friendly_name text not null,
  contact_email text not null,
  renewal_mode text not null,
  revocation_approvers integer not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  issued_at timestamptz not null,
  revoked_at timestamptz,
  revocation_reason text,
  fingerprint_sha256 text not null,
  certificate bytea not null,
  notices_sent integer[] not null default '{}',
  primary key (tenant_id, id),
  check ((revoked_at is null) = (revocation_reason is null))
);
create unique index certificates_by_serial on certificates (tenant_id, ca_id, serial_hex);
create unique index certificates_by_request on certificates (tenant_id, request_id) where request_id is not null;
create index certificates_by_issue on certificates (tenant_id, issued_at desc, id);
create index certificates_by_end on certificates (tenant_id, not_after, id);
create index certificates_by_name on certificates (tenant_id, lower(name), id);
create index certificates_by_template on certificates (tenant_id, template_id, issued_at desc);
create index certificates_by_authority on certificates (tenant_id, ca_id, issued_at desc);
create index certificates_revoked on certificates (tenant_id, revoked_at desc) where revoked_at is not null;
create index certificates_by_holder on certificates (tenant_id, holder_user_id) where holder_user_id is not null;
select protect_tenant_table('certificates');

-- Words are compared byte by byte, so that a prefix is a range of the index.
create table certificate_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  certificate_id uuid not null,
  primary key (tenant_id, word, certificate_id),
  foreign key (tenant_id, certificate_id) references certificates (tenant_id, id) on delete cascade
);
select protect_tenant_table('certificate_words');

create table saved_views (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index saved_views_by_name on saved_views (tenant_id, user_id, list, lower(name));
select protect_tenant_table('saved_views');
