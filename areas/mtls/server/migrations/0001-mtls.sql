-- One row for a tenancy that has chosen; without one, no certificate signs in.
create table certificate_sign_in (
  tenant_id uuid not null primary key,
  enabled boolean not null,
  authorities uuid[] not null,
  mapping text not null check (mapping in ('serial', 'upn', 'sid')),
  strong boolean not null,
  version integer not null
);
select protect_tenant_table('certificate_sign_in');

-- Of the installation: the key of an authority finds the tenancy before anybody is signed in.
create table sign_in_authorities (
  -- Its subject key identifier, in hex.
  key_id text not null,
  tenant_id uuid not null,
  ca_id uuid not null,
  primary key (tenant_id, ca_id)
);
create index sign_in_authorities_by_key on sign_in_authorities (key_id);
grant select, insert, delete on sign_in_authorities to chancery_app;

-- Of the installation: sign-ins on their way. Whose they are shows only when a certificate was shown.
create table certificate_attempts (
  state_hash text primary key,
  binding_hash text not null,
  redirect text not null,
  expires_at timestamptz not null,
  shown_at timestamptz,
  tenant_id uuid,
  certificate_id uuid
);
create index certificate_attempts_by_expiry on certificate_attempts (expires_at);
grant select, insert, update, delete on certificate_attempts to chancery_app;
comment on table certificate_attempts is 'backup: left out';
