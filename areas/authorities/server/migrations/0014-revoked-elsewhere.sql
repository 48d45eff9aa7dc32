-- An authority whose issuer is elsewhere is revoked by a list that is brought.
alter table authority_certificates add column revoked_elsewhere_at timestamptz;
alter table authority_certificates add column revoked_elsewhere_reason text;
alter table authority_certificates add constraint authority_certificates_revoked_elsewhere check ((revoked_elsewhere_at is null) = (revoked_elsewhere_reason is null));
create index authority_certificates_revoked_elsewhere on authority_certificates (tenant_id, ca_id) where revoked_elsewhere_at is not null;
