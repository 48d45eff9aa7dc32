-- Clients make the ID of a transaction of their key: another request with the same key takes its place, and what came of the one before stays.
alter table enrolment_transactions add column superseded boolean not null default false;
drop index enrolment_transactions_by_key;
create unique index enrolment_transactions_by_key on enrolment_transactions (tenant_id, profile_id, key) where not superseded;
