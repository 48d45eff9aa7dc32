-- The ground under all rooms: the protection of tenant tables, events, repeated requests and floors.

-- Each tenant table calls this once. Forced: the owner is held by the policy too. The application role gets rows, never the table.
create function protect_tenant_table(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format(
    'create policy tenant on %s to chancery_app using (tenant_id = nullif(current_setting(''chancery.tenant'', true), '''')::uuid)',
    protected
  );
  execute format('grant select, insert, update, delete on %s to chancery_app', protected);
end $$;

-- One row for each change and each refused attempt: the audit record and the message on the bus. Rows are inserted
-- without a number; the sequencer, which works as chancery_auditor, numbers committed rows. Nobody else may change one.
create table events (
  tenant_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  actor_id uuid,
  actor text not null,
  address text not null,
  area text not null,
  name text not null,
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  about text not null,
  body text not null,
  request_id text not null,
  sequence bigint,
  primary key (tenant_id, id)
);
create index events_by_time on events (tenant_id, at desc, id);
create index events_by_subject on events (tenant_id, about, at desc) where about <> '';
create unique index events_by_sequence on events (sequence) where sequence is not null;
create index events_unnumbered on events (at, id) where sequence is null;
select protect_tenant_table('events');
revoke update, delete on events from chancery_app;
create policy auditor on events to chancery_auditor using (true);
grant select on events to chancery_auditor;
grant update (sequence) on events to chancery_auditor;

-- The first answer to a repeated request: a double click, a retry.
create table repeated_requests (
  tenant_id uuid not null,
  user_id uuid not null,
  key text not null,
  call text not null,
  input_hash text not null,
  answer text,
  at timestamptz not null,
  primary key (tenant_id, user_id, key)
);
create index repeated_requests_by_time on repeated_requests (tenant_id, at);
select protect_tenant_table('repeated_requests');

-- Floors under sign-in, codes and public links: attempts by account and by address. Of the installation, not of a tenant.
create table floor_counts (
  key text primary key,
  attempts integer not null,
  window_ends timestamptz not null
);
grant select, insert, update, delete on floor_counts to chancery_app;

-- How far each room's subscription has read the numbered events.
create table event_positions (
  subscriber text primary key,
  sequence bigint not null
);
grant select, insert, update on event_positions to chancery_app;
grant select, insert, update on event_positions to chancery_auditor;
