-- The identity provider disabled the account, so it may enable it again. Whom somebody here disabled by hand stays disabled.
alter table scim_users add column disabled_by_us boolean not null default false;
alter table scim_users no force row level security;
update scim_users set disabled_by_us = true where gone;
alter table scim_users force row level security;
