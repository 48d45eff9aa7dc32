-- What somebody asks to scan, as those who decide see it: in the management tenancy, whichever tenancy asks.
create table discovery_asks (
  tenant_id uuid not null,
  network_id uuid not null,
  asking_tenant_id uuid not null,
  asking_tenancy text not null,
  cidr text not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  primary key (tenant_id, network_id)
);
create index discovery_asks_by_time on discovery_asks (tenant_id, proposed_at);
select protect_tenant_table('discovery_asks');

insert into discovery_asks
  select manager.id, network.id, network.tenant_id, asking.name, network.cidr, network.proposed_by, network.proposed_at
  from discovery_networks network
  join tenancies asking on asking.id = network.tenant_id
  join tenancies manager on manager.kind = 'management'
  where network.state = 'proposed';
