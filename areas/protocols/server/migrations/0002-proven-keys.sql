-- The key of a request that is no CSR, which the protocol has proven.
alter table enrolment_transactions add column spki bytea;
