-- The person whose certificates a secret is for, and whose a transaction is; null for devices.
alter table enrolment_secrets add column holder_id uuid;
create index enrolment_secrets_by_holder on enrolment_secrets (tenant_id, holder_id, created_at) where holder_id is not null;
alter table enrolment_transactions add column holder_id uuid;
