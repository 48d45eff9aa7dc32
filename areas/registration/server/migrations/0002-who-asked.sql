-- One address may be asked for with the code of one page and with that of another: neither takes the place of the other.
alter table registration_requests drop constraint registration_requests_pkey;
alter table registration_requests add primary key (email_key, code);
-- The network that asked, so that one network does not use up what a tenancy has open.
alter table registration_requests add column network text not null default '';
alter table registrations add column network text not null default '';
create index registrations_by_network on registrations (tenant_id, network) where state = 'sent';
