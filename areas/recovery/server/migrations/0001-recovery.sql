-- Of the installation: asked for before anybody is known. Held until the job has looked for the people, seconds later.
create table password_reset_requests (
  email_key text primary key,
  requested_at timestamptz not null
);
grant select, insert, update, delete on password_reset_requests to chancery_app;

create table password_reset_links (
  tenant_id uuid not null,
  token_hash text not null,
  user_id uuid not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  -- A digest of the address and the password of that moment: with either of them changed, the link is void.
  bound_to text not null,
  primary key (tenant_id, token_hash)
);
create index password_reset_links_by_user on password_reset_links (tenant_id, user_id);
select protect_tenant_table('password_reset_links');
