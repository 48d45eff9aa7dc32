-- Who says so, once more: the update of 0002 found nothing where the owner of the database is held by row-level security. Where the source has spoken since,
-- what it said before stands beside it and goes.
alter table device_claims no force row level security;
alter table device_sources no force row level security;
delete from device_claims earlier using device_sources source, device_claims later
  where earlier.told_by = '' and source.tenant_id = earlier.tenant_id and source.device_id = earlier.device_id
  and split_part(source.source, ' ', 1) = earlier.source
  and later.tenant_id = earlier.tenant_id and later.device_id = earlier.device_id and later.told_by = source.source || ' ' || source.key;
update device_claims set told_by = device_sources.source || ' ' || device_sources.key from device_sources
  where device_claims.told_by = '' and device_sources.tenant_id = device_claims.tenant_id and device_sources.device_id = device_claims.device_id
  and split_part(device_sources.source, ' ', 1) = device_claims.source;
alter table device_sources force row level security;
alter table device_claims force row level security;
