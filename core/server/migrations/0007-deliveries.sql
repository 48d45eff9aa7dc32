-- What is to be sent to another machine, written in the transaction of the change that it tells about.
create table deliveries (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  target text not null,
  -- What has the same key goes in order; empty where there is none.
  key text not null,
  payload text not null,
  status text not null check (status in ('waiting', 'delivered', 'givenUp')),
  attempts integer not null,
  -- Null while an earlier one with the same key waits.
  due_at timestamptz,
  give_up_at timestamptz not null,
  -- By the clock that all servers share, as it orders what has the same key.
  queued_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  primary key (tenant_id, id)
);
create index deliveries_due on deliveries (tenant_id, kind, target, due_at, queued_at) where status = 'waiting';
create index deliveries_by_key on deliveries (tenant_id, kind, target, key, queued_at, id) where status = 'waiting' and key <> '';
create index deliveries_given_up on deliveries (tenant_id, kind, target, give_up_at) where status = 'waiting';
create index deliveries_ended on deliveries (tenant_id, kind, target, ended_at) where ended_at is not null;
create index deliveries_by_target on deliveries (tenant_id, kind, target, queued_at desc, id desc);
select protect_tenant_table('deliveries');

create table delivery_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('running', 'delivered', 'failed', 'refused', 'gone')),
  status integer,
  -- The first bytes of what came back, or what was wrong.
  answer text not null,
  milliseconds integer,
  primary key (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references deliveries (tenant_id, id) on delete cascade
);
select protect_tenant_table('delivery_attempts');

create table delivery_targets (
  tenant_id uuid not null,
  kind text not null,
  target text not null,
  state text not null check (state in ('active', 'paused', 'stopped')),
  reason text not null,
  -- Failures one after another, since when, and when the next attempt is made.
  failures integer not null,
  failing_since timestamptz,
  retry_at timestamptz,
  primary key (tenant_id, kind, target)
);
select protect_tenant_table('delivery_targets');

-- Where deliveries wait, and who is at it. Of the installation: servers look here for work of all tenancies, and find ids alone.
create table delivery_lanes (
  tenant_id uuid not null,
  kind text not null,
  target text not null,
  due_at timestamptz,
  leased_until timestamptz,
  lease uuid,
  primary key (tenant_id, kind, target)
);
create index delivery_lanes_due on delivery_lanes (due_at) where due_at is not null;
create index delivery_lanes_leased on delivery_lanes (tenant_id, leased_until) where leased_until is not null;
grant select, insert, update, delete on delivery_lanes to chancery_app;

-- Says in the transaction of the change that a lane has work: a new row keeps nobody waiting, which a change of the lane's own row would.
create table delivery_wakes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  kind text not null,
  target text not null
);
grant select, insert, update, delete on delivery_wakes to chancery_app;
