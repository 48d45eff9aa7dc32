create table tenancy_values (
  tenant_id uuid not null,
  key text collate "C" not null,
  -- One of the two: a secret is sealed under the tenancy's key.
  value jsonb,
  sealed bytea,
  tenant_key_id uuid,
  set_at timestamptz not null,
  primary key (tenant_id, key)
);
select protect_tenant_table('tenancy_values');
