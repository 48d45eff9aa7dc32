-- Of the installation: a username finds its tenancy before anybody is signed in.
create table usernames (
  username text primary key,
  tenant_id uuid not null,
  user_id uuid not null
);
grant select, insert, update, delete on usernames to chancery_app;

create table users (
  tenant_id uuid not null,
  id uuid not null,
  username text not null,
  given_name text not null,
  family_name text not null,
  email_address text not null,
  telephone_number text not null,
  title text not null,
  locality text not null,
  organisation text not null,
  enabled boolean not null,
  activated_at timestamptz,
  failed_logins integer not null default 0,
  last_successful_login timestamptz,
  last_failed_login timestamptz,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  enabled_at timestamptz,
  disabled_at timestamptz,
  primary key (tenant_id, id)
);
create index users_by_name on users (tenant_id, family_name, given_name, id);
select protect_tenant_table('users');

create table user_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  user_id uuid not null,
  primary key (tenant_id, word, user_id)
);
select protect_tenant_table('user_words');

create table activation_links (
  tenant_id uuid not null,
  token_hash text not null,
  user_id uuid not null,
  expires_at timestamptz not null,
  primary key (tenant_id, token_hash)
);
create index activation_links_by_user on activation_links (tenant_id, user_id);
select protect_tenant_table('activation_links');

create table passwords (
  tenant_id uuid not null,
  user_id uuid not null,
  -- argon2id in PHC form.
  hash text not null,
  changed_at timestamptz not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('passwords');
