-- What was asked before asks were listed, once more: the copy of 0006 found nothing where the owner of the database is held by row-level security.
alter table discovery_networks no force row level security;
alter table discovery_asks no force row level security;
insert into discovery_asks (tenant_id, network_id, asking_tenant_id, asking_tenancy, cidr, proposed_by, proposed_at)
  select manager.id, network.id, network.tenant_id, asking.name, network.cidr, network.proposed_by, network.proposed_at
  from discovery_networks network
  join tenancies asking on asking.id = network.tenant_id
  join tenancies manager on manager.kind = 'management'
  where network.state = 'proposed'
  on conflict do nothing;
alter table discovery_asks force row level security;
alter table discovery_networks force row level security;
