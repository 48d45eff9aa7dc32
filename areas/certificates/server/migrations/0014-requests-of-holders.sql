-- What a person asked for stands in one index, what was asked for them in this one. A device has no holder, and costs nothing here.
create index certificate_requests_by_holder on certificate_requests (tenant_id, holder_user_id, created_at desc) where holder_user_id is not null;
