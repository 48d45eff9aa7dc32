-- What led to a certificate is found by the words of that one; the others are looked through for what they were about, the newest first.
create index certificate_requests_without_certificate on certificate_requests (tenant_id, created_at desc, id desc) where certificate_id is null;
