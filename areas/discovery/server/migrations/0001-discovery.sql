-- Networks that a tenancy may scan. Somebody of it proposes them, and a person of the management tenancy allows them.
create table discovery_networks (
  tenant_id uuid not null,
  id uuid not null,
  cidr text not null,
  note text not null,
  state text not null,
  proposed_by text not null,
  decided_by text not null default '',
  proposed_at timestamptz not null,
  decided_at timestamptz,
  primary key (tenant_id, id)
);
create unique index discovery_networks_by_cidr on discovery_networks (tenant_id, cidr);
select protect_tenant_table('discovery_networks');

create table discovery_sources (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  targets text[] not null,
  exclusions text[] not null,
  ports integer[] not null,
  names text[] not null,
  rate integer not null,
  every_hours integer not null,
  quiet_from integer,
  quiet_to integer,
  next_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index discovery_sources_by_name on discovery_sources (tenant_id, lower(name));
select protect_tenant_table('discovery_sources');

create table discovery_runs (
  tenant_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  state text not null,
  started_by text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  -- How far it has come in the list of all probes; counts and results are committed with it.
  position integer not null default 0,
  total integer not null,
  answered integer not null default 0,
  fresh integer not null default 0,
  changed integer not null default 0,
  refused integer not null default 0,
  says text not null default '',
  primary key (tenant_id, id)
);
create index discovery_runs_by_source on discovery_runs (tenant_id, source_id, started_at desc);
create unique index discovery_runs_open on discovery_runs (tenant_id, source_id) where state in ('waiting', 'running', 'stopping');
select protect_tenant_table('discovery_runs');

-- What answers at an address, a port and a name. The certificate that is there now; those before it stand in the changes.
create table installations (
  tenant_id uuid not null,
  id uuid not null,
  address inet not null,
  port integer not null,
  server_name text not null,
  fingerprint text not null,
  certificate bytea not null,
  subject text not null,
  issuer text not null,
  names text[] not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  protocol text not null,
  key_type text not null,
  reasons text[] not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  -- Probes without an answer since then.
  misses integer not null default 0,
  state text not null default 'open',
  ignored_until timestamptz,
  ignored_reason text not null default '',
  -- What should be there after the renewal of what was taken over, and since when it was seen there.
  expected text,
  served_at timestamptz,
  primary key (tenant_id, id)
);
create unique index installations_by_place on installations (tenant_id, address, port, server_name);
create index installations_by_end on installations (tenant_id, not_after, id);
create index installations_by_fingerprint on installations (tenant_id, fingerprint);
create index installations_expected on installations (tenant_id, id) where expected is not null and served_at is null;
select protect_tenant_table('installations');

create table installation_changes (
  tenant_id uuid not null,
  id uuid not null,
  installation_id uuid not null,
  at timestamptz not null,
  from_fingerprint text not null,
  to_fingerprint text not null,
  primary key (tenant_id, id)
);
create index installation_changes_by_installation on installation_changes (tenant_id, installation_id, at desc);
select protect_tenant_table('installation_changes');
