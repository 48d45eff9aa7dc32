-- The directory of card serial numbers. What the sync writes is what the card said then.
create table facility_cards (
  tenant_id uuid not null,
  csn text not null,
  card_id uuid not null,
  status text not null,
  holder_id uuid,
  holder text not null,
  location_id uuid,
  written_at timestamptz not null,
  primary key (tenant_id, csn)
);
create index facility_cards_by_location on facility_cards (tenant_id, location_id) where location_id is not null;
select protect_tenant_table('facility_cards');

-- One row a tenancy: how far a sync has come, and what it counted.
create table facility_syncs (
  tenant_id uuid primary key,
  state text not null,
  cursor text not null default '',
  added integer not null default 0,
  changed integer not null default 0,
  removed integer not null default 0,
  same integer not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz
);
select protect_tenant_table('facility_syncs');
