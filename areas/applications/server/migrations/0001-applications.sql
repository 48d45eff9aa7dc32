create table applications (
  tenant_id uuid not null,
  -- The id of its account (program_accounts) too.
  id uuid not null,
  name text not null,
  note text not null,
  owner_kind text not null check (owner_kind in ('person', 'role')),
  owner_id uuid not null,
  scopes text[] not null,
  networks text[] not null,
  enabled boolean not null,
  ends_at timestamptz,
  -- The last notice before the end, in days.
  notice_sent integer,
  last_used_at timestamptz,
  added_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index applications_by_name on applications (tenant_id, lower(name));
create index applications_by_owner on applications (tenant_id, owner_id);
select protect_tenant_table('applications');

create table application_secrets (
  tenant_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  secret_hash text not null,
  made_at timestamptz not null,
  -- Null until another one takes its place.
  ends_at timestamptz,
  last_used_at timestamptz,
  last_used_from text,
  primary key (tenant_id, id)
);
create unique index application_secrets_by_hash on application_secrets (tenant_id, secret_hash);
create index application_secrets_by_application on application_secrets (tenant_id, application_id);
select protect_tenant_table('application_secrets');
