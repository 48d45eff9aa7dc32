create table card_applets (
  tenant_id uuid not null,
  applet_id text not null,
  name text not null,
  version text not null,
  enabled boolean not null,
  package_id text not null,
  file bytea,
  sha256 text not null,
  changed_at timestamptz not null,
  primary key (tenant_id, applet_id)
);
select protect_tenant_table('card_applets');

create table card_manager_keys (
  tenant_id uuid not null,
  hardware text not null,
  master_sealed bytea not null,
  tenant_key_id uuid not null,
  check_value text not null,
  -- 0: whichever the card answers with.
  key_version integer not null,
  changed_at timestamptz not null,
  primary key (tenant_id, hardware)
);
select protect_tenant_table('card_manager_keys');

-- Cards that did not have the keys which follow from a master key: they are not tried again by themselves.
create table refused_card_managers (
  tenant_id uuid not null,
  card text not null,
  check_value text not null,
  at timestamptz not null,
  primary key (tenant_id, card, check_value)
);
select protect_tenant_table('refused_card_managers');
