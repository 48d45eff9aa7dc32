-- When the identity provider disabled the account. It enables it again only where nobody here disabled it since.
alter table scim_users add column disabled_at timestamptz;
alter table scim_users drop column disabled_by_us;
-- What it said last of `active`: the same once more undoes nothing that an administrator decided meanwhile.
alter table scim_users add column active_there boolean;
-- When giving the roles was refused last. They stay due.
alter table scim_users add column roles_refused_at timestamptz;
