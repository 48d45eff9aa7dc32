-- Which keys a card has and which certificates they get.
create table card_templates (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  slots jsonb not null,
  validity_months integer not null,
  enabled boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index card_templates_by_name on card_templates (tenant_id, lower(name));
select protect_tenant_table('card_templates');

-- The key from which the management key of each card follows.
create table card_masters (
  tenant_id uuid not null,
  master_sealed bytea not null,
  tenant_key_id uuid not null,
  made_at timestamptz not null,
  primary key (tenant_id)
);
select protect_tenant_table('card_masters');

create table cards (
  tenant_id uuid not null,
  id uuid not null,
  serial text not null,
  atr text not null,
  guid text not null,
  kind text not null,
  firmware text not null,
  status text not null,
  holder_id uuid,
  card_template_id uuid,
  management_algorithm text not null,
  -- 0 is the factory's. While key_next is set the card has this one or that one.
  key_version integer not null default 0,
  key_next integer,
  puk_sealed bytea,
  puk_key_id uuid,
  puk_next_sealed bytea,
  puk_next_key_id uuid,
  -- Rises with each operation; what comes with a lower one is refused.
  fence bigint not null default 0,
  expires_at timestamptz,
  read_at timestamptz,
  added_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index cards_by_serial on cards (tenant_id, serial);
create unique index cards_by_guid on cards (tenant_id, guid) where guid <> '';
create index cards_by_holder on cards (tenant_id, holder_id) where holder_id is not null;
create index cards_by_template on cards (tenant_id, card_template_id) where card_template_id is not null;
select protect_tenant_table('cards');

create table card_operations (
  tenant_id uuid not null,
  id uuid not null,
  card_id uuid not null,
  kind text not null,
  state text not null,
  -- What was planned: template, person, slots. Never a PIN.
  plan jsonb not null,
  fence bigint not null,
  lease_until timestamptz not null,
  error text not null,
  by_id uuid not null,
  by_name text not null,
  started_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);
create index card_operations_by_card on card_operations (tenant_id, card_id, started_at);
create index card_operations_unfinished on card_operations (tenant_id, state) where state in ('running', 'waiting', 'failed', 'abandoned');
select protect_tenant_table('card_operations');

create table card_steps (
  tenant_id uuid not null,
  operation_id uuid not null,
  n integer not null,
  name text not null,
  slot text not null,
  intent_at timestamptz not null,
  done_at timestamptz,
  error text not null,
  primary key (tenant_id, operation_id, n)
);
select protect_tenant_table('card_steps');

-- A key on a card and its certificate, from the key's making on.
create table card_slots (
  tenant_id uuid not null,
  operation_id uuid not null,
  slot text not null,
  card_id uuid not null,
  algorithm text not null,
  state text not null,
  spki bytea not null,
  csr bytea,
  request_id uuid,
  certificate_id uuid,
  written_at timestamptz,
  primary key (tenant_id, operation_id, slot)
);
create index card_slots_by_card on card_slots (tenant_id, card_id, state);
create index card_slots_by_certificate on card_slots (tenant_id, certificate_id) where certificate_id is not null;
select protect_tenant_table('card_slots');

-- Security clients: who drives them, and which server has the link.
create table card_agents (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  home_tenant_id uuid not null,
  person text not null,
  machine text not null,
  version text not null,
  secret_hash bytea not null,
  server text not null,
  connected boolean not null,
  seen_at timestamptz not null,
  made_at timestamptz not null,
  primary key (tenant_id, id)
);
create index card_agents_by_person on card_agents (tenant_id, user_id);
create unique index card_agents_by_secret on card_agents (tenant_id, secret_hash);
select protect_tenant_table('card_agents');
