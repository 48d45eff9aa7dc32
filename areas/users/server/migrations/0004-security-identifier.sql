-- A person's identifier in Windows, for certificates that a domain controller maps strongly. One person's alone in a tenancy.

alter table users add column security_identifier text not null default '';
create unique index users_by_security_identifier on users (tenant_id, security_identifier) where security_identifier <> '';
