-- A finding stands at an address and a port, or at a place of a provider: a secret of a cluster, a file.
alter table installations alter column address drop not null;
alter table installations add column provider text not null default 'network';
alter table installations add column provider_id text not null default '';
alter table installations add column place text not null default '';
create unique index installations_by_provider_place on installations (tenant_id, provider, provider_id, place) where address is null;

-- What is asked for certificates beside the network. The secret is sealed under the tenancy's key.
create table discovery_providers (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  name text not null,
  url text not null,
  scope text not null,
  roots text not null,
  sealed_secret bytea,
  tenant_key_id uuid,
  every_hours integer not null,
  next_at timestamptz,
  state text not null default 'new',
  says text not null default '',
  -- Where the next page begins, as the provider calls it; counts and findings are committed with it.
  cursor text not null default '',
  found integer not null default 0,
  fresh integer not null default 0,
  changed integer not null default 0,
  refused integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index discovery_providers_by_name on discovery_providers (tenant_id, kind, lower(name));
select protect_tenant_table('discovery_providers');
