-- Whether the people of the tenancy must have set secret questions before a smartcard is issued to them.
alter table tenancies add column require_secret_questions boolean not null default false;
