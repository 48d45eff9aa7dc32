-- The challenges of Intune whose requests somebody denied: they stay spent, whatever becomes of the transaction.
alter table enrolment_transactions add column spent_hashes text[] not null default '{}';
