create table outbox (
  tenant_id uuid not null,
  id uuid not null,
  recipient text not null,
  kind text not null,
  subject text not null,
  body text not null,
  status text not null check (status in ('waiting', 'sent', 'failed')),
  attempts integer not null,
  next_attempt_at timestamptz not null,
  queued_at timestamptz not null,
  sent_at timestamptz,
  last_error text not null,
  primary key (tenant_id, id)
);
create index outbox_by_time on outbox (tenant_id, queued_at desc);
create index outbox_waiting on outbox (tenant_id, next_attempt_at) where status = 'waiting';
select protect_tenant_table('outbox');

create table notice_choices (
  tenant_id uuid not null,
  user_id uuid not null,
  unwanted text[] not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('notice_choices');
