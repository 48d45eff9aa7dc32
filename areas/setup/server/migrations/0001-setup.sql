-- Of the installation: there is no tenancy yet. At most one row, gone when set-up is done.
create table setup_links (
  token_hash text primary key,
  expires_at timestamptz not null
);
grant select, insert, delete on setup_links to chancery_app;
