-- A certificate that others issued stands here once, however often it is uploaded.
create unique index certificates_foreign on certificates (tenant_id, fingerprint_sha256) where ca_id is null;
