-- Which of the clients or systems of its kind says so, and by which key it knows the device: two of a kind do not overwrite each other.
alter table device_claims add column told_by text not null default '';
update device_claims set told_by = device_sources.source || ' ' || device_sources.key from device_sources
  where device_sources.tenant_id = device_claims.tenant_id and device_sources.device_id = device_claims.device_id
  and split_part(device_sources.source, ' ', 1) = device_claims.source;
alter table device_claims drop constraint device_claims_pkey;
alter table device_claims add primary key (tenant_id, device_id, kind, value, source, told_by);

-- All devices that it came from by merges, the last one last, so that one merge after the other can be taken back.
alter table device_sources alter column moved_from type uuid[] using case when moved_from is null then '{}' else array[moved_from] end;
alter table device_sources alter column moved_from set default '{}', alter column moved_from set not null;
alter table device_endpoints alter column moved_from type uuid[] using case when moved_from is null then '{}' else array[moved_from] end;
alter table device_endpoints alter column moved_from set default '{}', alter column moved_from set not null;

-- What the source said the last time, so that it changes what it says otherwise now, and nothing that a person wrote since.
alter table device_sources add column told jsonb;
