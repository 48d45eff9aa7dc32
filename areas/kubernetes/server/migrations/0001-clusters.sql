create table kubernetes_clusters (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  issuer text not null,
  -- Public keys alone, as the cluster gives them.
  key_set jsonb not null,
  subjects text[] not null,
  application_id uuid not null,
  added_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index kubernetes_clusters_by_issuer on kubernetes_clusters (tenant_id, issuer);
select protect_tenant_table('kubernetes_clusters');
