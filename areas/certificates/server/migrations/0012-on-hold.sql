-- The few that are on hold, found and counted without looking at what is revoked for good.
create index certificates_on_hold on certificates (tenant_id, id) include (not_after, revoked_at, template_id, ca_id) where revocation_reason = 'certificateHold';
