-- Which domain is being read: one reading at a time, and none that a dead server began holds it for longer than a reading may take.
create table group_policy_refreshes (
  tenant_id uuid not null,
  directory_id uuid not null,
  until timestamptz not null,
  primary key (tenant_id, directory_id)
);
select protect_tenant_table('group_policy_refreshes');
