-- The numbers beside the filters are counted in the index alone.
create index devices_by_kind on devices (tenant_id, type, status) where merged_into is null;
