-- The last finding of each check of each authority, and since when its state is what it is.
create table health_checks (
  tenant_id uuid not null,
  ca_id uuid not null,
  kind text not null check (kind in ('lists', 'served', 'ocsp', 'signer', 'key', 'life')),
  finding text not null,
  params jsonb not null,
  mark integer,
  state text not null check (state in ('ok', 'late', 'failing')),
  since timestamptz not null,
  checked_at timestamptz not null,
  -- Probes that failed in a row since the finding was in order.
  strikes integer not null default 0,
  primary key (tenant_id, ca_id, kind)
);
create index health_checks_wrong on health_checks (tenant_id, state) where state <> 'ok';
select protect_tenant_table('health_checks');
