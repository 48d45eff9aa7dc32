-- Certificates of the same key are found by it. A key is long and only ever compared whole, so a hash serves. Row security keeps the tenancies
-- apart, and does not stand in the way of this index: the comparison of bytes is leakproof.
create index certificate_requests_same_key on certificate_requests using hash (public_key) where public_key is not null;

-- What others issued had no request here that names its key.
create table foreign_keys (
  tenant_id uuid not null,
  certificate_id uuid not null,
  public_key bytea not null,
  primary key (tenant_id, certificate_id)
);
create index foreign_keys_by_key on foreign_keys using hash (public_key);
select protect_tenant_table('foreign_keys');
