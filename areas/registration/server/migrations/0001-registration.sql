-- Of the installation: asked for before anybody knows of which tenancy. Held until the job has looked, seconds later.
create table registration_requests (
  email_key text primary key,
  email_address text not null,
  given_name text not null,
  family_name text not null,
  code text not null,
  requested_at timestamptz not null
);
grant select, insert, update, delete on registration_requests to chancery_app;

create table registration_settings (
  tenant_id uuid not null,
  mode text not null default 'off',
  role_ids uuid[] not null default '{}',
  -- Of the address that is handed out; kept as it is, because it is shown to who hands it on.
  code text,
  primary key (tenant_id)
);
select protect_tenant_table('registration_settings');

create table registrations (
  tenant_id uuid not null,
  id uuid not null,
  email_key text not null,
  email_address text not null,
  given_name text not null,
  family_name text not null,
  state text not null,
  -- Whether it was asked for with the tenancy's own address of the page.
  by_link boolean not null,
  token_hash text,
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  verified_at timestamptz,
  decided_at timestamptz,
  decided_by text not null default '',
  user_id uuid,
  primary key (tenant_id, id)
);
create unique index registrations_open on registrations (tenant_id, email_key) where state in ('sent', 'waiting');
create index registrations_by_token on registrations (tenant_id, token_hash) where token_hash is not null;
create index registrations_by_time on registrations (tenant_id, asked_at);
select protect_tenant_table('registrations');
