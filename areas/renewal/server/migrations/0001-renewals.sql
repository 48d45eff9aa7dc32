-- What was done about the renewal of each certificate, try by try. That there is one renewal and no second is kept by the request itself
-- (certificate_requests_renewal); this is the record of who was told, what failed, and when it is tried again.
create table renewals (
  tenant_id uuid not null,
  id uuid not null,
  certificate_id uuid not null,
  name text not null,
  template_name text not null,
  not_after timestamptz not null,
  mode text not null check (mode in ('NONE', 'MANUAL', 'AUTOMATIC_SAME_KEY', 'AUTOMATIC_NEW_KEY')),
  state text not null check (state in ('asking', 'waiting', 'awaitingHolder', 'awaitingKey', 'refused', 'failed', 'denied', 'lapsed', 'renewed')),
  -- Why it failed, or was refused; empty where nothing is wrong.
  reason text not null,
  tries integer not null,
  request_id uuid,
  successor_id uuid,
  asked_by text not null,
  begun_at timestamptz not null,
  updated_at timestamptz not null,
  told_at timestamptz,
  next_attempt_at timestamptz,
  primary key (tenant_id, id)
);
create unique index renewals_standing on renewals (tenant_id, certificate_id) where state in ('asking', 'waiting', 'awaitingHolder', 'awaitingKey', 'refused', 'renewed');
create index renewals_by_certificate on renewals (tenant_id, certificate_id, begun_at desc);
create index renewals_open on renewals (tenant_id, updated_at) where state in ('asking', 'waiting');
create index renewals_again on renewals (tenant_id, next_attempt_at) where state = 'refused';
create index renewals_lapsing on renewals (tenant_id, not_after) where state in ('awaitingHolder', 'awaitingKey', 'refused');
create index renewals_by_time on renewals (tenant_id, updated_at desc, id);
select protect_tenant_table('renewals');
