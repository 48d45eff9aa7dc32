-- What opened a session, where another room may have to end it: `sso:<provider>`, `certificate:<mapping>`. Empty for passwords and passkeys.
alter table sessions add column opened_by text not null default '';
create index sessions_by_opener on sessions (tenant_id, opened_by) where opened_by <> '';
