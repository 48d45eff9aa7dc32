-- Events that a listening room refused time after time: kept here and passed by, so that the rest is delivered, and tried again when a server
-- starts to deliver. Of the installation: it holds numbers alone; the events themselves stay in their tenancies.

create table undelivered_events (
  subscriber text not null,
  sequence bigint not null,
  event_id uuid not null,
  at timestamptz not null,
  primary key (subscriber, sequence)
);
grant select, insert, delete on undelivered_events to chancery_auditor;
