-- How each account came to be, for the dashboard of user creation. Those from before are not known.
alter table users add column origin text not null default 'unknown';
-- Who was made in a period is counted from the index alone, where it shows all; the newest are its end.
create index users_by_creation on users (tenant_id, created_at, id) include (enabled, activated_at, origin);
-- Those who have yet to activate, the ones who wait longest first.
create index users_waiting on users (tenant_id, created_at, id) where enabled and activated_at is null;
