-- When the directory disabled the account. It enables it again only where nobody here disabled it since.
alter table directory_entries add column disabled_at timestamptz;
