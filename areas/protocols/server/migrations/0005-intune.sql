-- Where Microsoft Intune says which SCEP challenges are its own: an application at Microsoft Entra, for one profile.
create table enrolment_intune (
  tenant_id uuid not null,
  profile_id uuid not null,
  directory_id text not null,
  client_id text not null,
  secret_sealed bytea not null,
  tenant_key_id uuid not null,
  login_url text not null,
  graph_url text not null,
  resource_url text not null,
  enabled boolean not null,
  version integer not null default 1,
  primary key (tenant_id, profile_id)
);
select protect_tenant_table('enrolment_intune');

-- Whether Intune vouched for the request, and is told what came of it.
alter table enrolment_transactions add column vouched boolean not null default false;
