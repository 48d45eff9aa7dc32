-- The list of people is put in order by these columns, too: without an index each page sorted everybody.
create index users_by_username on users (tenant_id, username, id);
create index users_by_address on users (tenant_id, email_address, id);
create index users_by_sign_in on users (tenant_id, last_successful_login, id);
