-- What the job asks of people, until it stands in a letter: one letter a person, kind and day tells of all.
create table renewal_notices (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  turn text not null check (turn in ('awaitingHolder', 'awaitingKey', 'collect')),
  certificate_id uuid not null,
  -- What is collected; null for the other turns.
  request_id uuid,
  primary key (tenant_id, id)
);
create index renewal_notices_by_person on renewal_notices (tenant_id, user_id, id);
select protect_tenant_table('renewal_notices');

create table renewal_digests (
  tenant_id uuid not null,
  user_id uuid not null,
  kind text not null,
  sent_at timestamptz not null,
  primary key (tenant_id, user_id, kind)
);
select protect_tenant_table('renewal_digests');
