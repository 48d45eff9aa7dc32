-- What closes the file says the SHA-256 of each one in it. An export that is being made at the update is asked for anew, because its first parts have none.
alter table tenancy_export_parts add column digest bytea;
alter table tenancy_exports no force row level security;
alter table tenancy_export_parts no force row level security;
delete from tenancy_export_parts using tenancy_exports
  where tenancy_exports.tenant_id = tenancy_export_parts.tenant_id and tenancy_exports.id = export_id and state = 'running';
update tenancy_exports set state = 'failed' where state = 'running';
alter table tenancy_export_parts force row level security;
alter table tenancy_exports force row level security;
