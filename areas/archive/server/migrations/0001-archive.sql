-- Private keys made here for certificates whose template archives them, sealed under the tenancy's key, with what a file of them needs.
create table archived_keys (
  tenant_id uuid not null,
  id uuid not null,
  certificate_id uuid not null,
  name text not null,
  subject text not null,
  ca_id uuid,
  ca_name text not null,
  serial_hex text not null,
  holder text not null,
  holder_user_id uuid,
  template_name text not null,
  key_kind text not null,
  not_after timestamptz not null,
  certificate bytea not null,
  chain bytea[] not null,
  sealed bytea not null,
  tenant_key_id uuid not null,
  recovery_approvers integer not null check (recovery_approvers >= 1),
  archived_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index archived_keys_by_certificate on archived_keys (tenant_id, certificate_id);
create index archived_keys_by_time on archived_keys (tenant_id, archived_at desc, id);
select protect_tenant_table('archived_keys');
revoke delete on archived_keys from chancery_app;

create table key_recoveries (
  tenant_id uuid not null,
  id uuid not null,
  archived_key_id uuid not null,
  requester_id uuid not null,
  requester text not null,
  reason text not null,
  state text not null check (state in ('waiting', 'approved', 'lapsed', 'denied', 'collected')),
  requested_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  collected_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, archived_key_id) references archived_keys (tenant_id, id)
);
create unique index key_recoveries_open on key_recoveries (tenant_id, archived_key_id, requester_id) where state in ('waiting', 'approved');
create index key_recoveries_by_time on key_recoveries (tenant_id, requested_at desc, id);
select protect_tenant_table('key_recoveries');
