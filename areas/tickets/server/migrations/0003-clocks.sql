-- What happened to the clock of a ticket; the due times of a ticket follow from it and from nothing else.
create table ticket_clock (
  tenant_id uuid not null,
  ticket_id integer not null,
  -- The order in which it happened.
  position integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('start', 'pause', 'resume', 'stop', 'policy')),
  -- Calendar and targets that held from then on, as JSON; empty where nothing changed.
  policy text not null,
  primary key (tenant_id, ticket_id, position)
);
select protect_tenant_table('ticket_clock');

alter table tickets add column response_due timestamptz, add column resolution_due timestamptz;

-- How a tenancy handles its tickets: business hours, targets, and answers that are written often, as JSON.
create table ticket_settings (
  tenant_id uuid not null primary key,
  content text not null,
  version integer not null
);
select protect_tenant_table('ticket_settings');

-- Who looks at a ticket, or writes in it; forgotten by the nightly job.
create table ticket_presence (
  tenant_id uuid not null,
  ticket_id integer not null,
  user_id uuid not null,
  name text not null,
  writing boolean not null,
  seen_at timestamptz not null,
  primary key (tenant_id, ticket_id, user_id)
);
select protect_tenant_table('ticket_presence');
