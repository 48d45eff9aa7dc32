-- A renewal is a request that names the certificate whose place its own shall take. Without a CSR it may bring the key of that certificate.
alter table certificate_requests add column renews uuid;
alter table certificate_requests add column same_key boolean not null default false;
-- One at a time, whoever asks and on whichever server; one that led to a certificate is the last.
create unique index certificate_requests_renewal on certificate_requests (tenant_id, renews) where renews is not null and stage not in ('denied', 'withdrawn', 'failed');
create index certificate_requests_renewals on certificate_requests (tenant_id, renews, created_at desc) where renews is not null;
-- The certificate that took its place.
alter table certificates add column renewed_by uuid;
