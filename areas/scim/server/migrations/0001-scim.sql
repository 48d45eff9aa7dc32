create table scim_sources (
  tenant_id uuid not null,
  -- The application whose secret the identity provider sends.
  id uuid not null,
  name text not null,
  -- Whose rights bound what the identity provider does.
  answers_id uuid not null,
  answers text not null,
  -- Whether a new person gets an activation link by mail.
  invite boolean not null,
  version integer not null default 1,
  connected_at timestamptz not null,
  primary key (tenant_id, id)
);
select protect_tenant_table('scim_sources');

create table scim_users (
  tenant_id uuid not null,
  source_id uuid not null,
  user_id uuid not null,
  -- As the identity provider writes it, and in small letters.
  user_name text not null,
  user_name_key text not null,
  external_id text,
  -- Deleted by the identity provider: the account is disabled, and comes back when the same person is sent again.
  gone boolean not null default false,
  -- The roles of the person are to be made out of the groups again.
  roles_due boolean not null default false,
  -- Those that no group gives any more, and that are still to be taken away.
  roles_taken uuid[] not null default '{}',
  primary key (tenant_id, source_id, user_id)
);
create unique index scim_users_by_name on scim_users (tenant_id, source_id, user_name_key);
create unique index scim_users_by_external_id on scim_users (tenant_id, source_id, external_id) where external_id is not null;
create index scim_users_of_person on scim_users (tenant_id, user_id);
create index scim_users_due on scim_users (tenant_id, source_id) where roles_due;
select protect_tenant_table('scim_users');

create table scim_groups (
  tenant_id uuid not null,
  source_id uuid not null,
  id uuid not null,
  display_name text not null,
  display_name_key text not null,
  external_id text,
  -- The roles that its members have by it; empty unless somebody here said so.
  role_ids uuid[] not null,
  version integer not null default 1,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index scim_groups_by_name on scim_groups (tenant_id, source_id, display_name_key);
select protect_tenant_table('scim_groups');

create table scim_group_members (
  tenant_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, group_id, user_id)
);
create index scim_group_members_by_user on scim_group_members (tenant_id, user_id);
select protect_tenant_table('scim_group_members');

create table scim_requests (
  tenant_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  -- What it did here, or why it did nothing.
  effect text not null,
  -- What was sent, without passwords.
  body text not null,
  user_id uuid,
  primary key (tenant_id, id)
);
create index scim_requests_by_source on scim_requests (tenant_id, source_id, at desc, id);
create index scim_requests_by_time on scim_requests (tenant_id, at);
select protect_tenant_table('scim_requests');
