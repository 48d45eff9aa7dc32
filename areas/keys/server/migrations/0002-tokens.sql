-- Tokens of PKCS#11 modules, each with its PIN sealed under the key of its tenancy. A token belongs to one tenancy of the installation: wrong
-- PINs given by another would lock it.
create table key_tokens (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  module text not null,
  label text not null,
  serial text not null,
  manufacturer text not null,
  model text not null,
  algorithms text[] not null,
  sealed bytea not null,
  tenant_key_id uuid not null,
  state text not null,
  state_since timestamptz not null,
  made_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, tenant_key_id) references tenant_keys (tenant_id, id)
);
create unique index key_tokens_by_name on key_tokens (tenant_id, lower(name));
create unique index key_tokens_by_serial on key_tokens (module, serial, label);
select protect_tenant_table('key_tokens');

-- A key on a token is found there by its id, `object_id`, which `sealed` holds as well. One key is one row: two authorities do not share one.
alter table keys add column token_id uuid;
alter table keys add column object_id bytea;
alter table keys drop constraint keys_provider_check;
alter table keys add constraint keys_provider_check check (provider in ('software', 'pkcs11') and (provider = 'pkcs11') = (token_id is not null) and (provider = 'pkcs11') = (object_id is not null));
alter table keys add foreign key (tenant_id, token_id) references key_tokens (tenant_id, id);
create unique index keys_by_object on keys (tenant_id, token_id, object_id);
