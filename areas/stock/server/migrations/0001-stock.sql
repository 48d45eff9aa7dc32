create table stock_places (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  -- Who answers for what lies there.
  custodian_id uuid,
  primary key (tenant_id, id)
);
create unique index stock_places_by_name on stock_places (tenant_id, lower(name));
create index stock_places_by_custodian on stock_places (tenant_id, custodian_id) where custodian_id is not null;
select protect_tenant_table('stock_places');

create table stock_cards (
  tenant_id uuid not null,
  serial text not null,
  -- The serial number in parts, so that numbers that follow one another make a range.
  prefix text not null,
  number bigint not null,
  digits integer not null,
  place_id uuid not null,
  state text not null,
  changed_at timestamptz not null,
  primary key (tenant_id, serial),
  foreign key (tenant_id, place_id) references stock_places (tenant_id, id)
);
create index stock_cards_by_place on stock_cards (tenant_id, place_id, state, prefix, digits, number);
select protect_tenant_table('stock_cards');

create table stock_counts (
  tenant_id uuid not null,
  id uuid not null,
  place_id uuid not null,
  place_name text not null,
  by_name text not null,
  at timestamptz not null,
  expected integer not null,
  found integer not null,
  missing integer not null,
  surplus integer not null,
  primary key (tenant_id, id)
);
create index stock_counts_by_time on stock_counts (tenant_id, at);
select protect_tenant_table('stock_counts');
