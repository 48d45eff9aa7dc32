-- The key of a tenancy, sealed under the installation key. One is current; older ones stay for what they sealed.
create table tenant_keys (
  tenant_id uuid not null,
  id uuid not null,
  sealed bytea not null,
  made_at timestamptz not null,
  retired_at timestamptz,
  primary key (tenant_id, id)
);
create unique index tenant_keys_current on tenant_keys (tenant_id) where retired_at is null;
select protect_tenant_table('tenant_keys');

-- `sealed` is what the provider needs to find the key: for software the sealed PKCS#8 document.
create table keys (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('software')),
  algorithm text not null,
  spki bytea not null,
  sealed bytea not null,
  tenant_key_id uuid not null,
  made_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, tenant_key_id) references tenant_keys (tenant_id, id)
);
select protect_tenant_table('keys');
