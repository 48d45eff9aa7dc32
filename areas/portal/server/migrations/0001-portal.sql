-- The address of the page on which strangers ask for certificates: one for a tenancy, or none.
create table portals (
  tenant_id uuid not null,
  code text not null,
  made_at timestamptz not null,
  made_by text not null,
  primary key (tenant_id)
);
select protect_tenant_table('portals');

create table portal_sessions (
  tenant_id uuid not null,
  secret_hash text not null,
  code text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, secret_hash)
);
select protect_tenant_table('portal_sessions');

-- What a stranger who asked has in hand. The request itself stands with all others.
create table portal_requests (
  tenant_id uuid not null,
  request_id uuid not null,
  secret_hash text not null,
  made_at timestamptz not null,
  primary key (tenant_id, request_id)
);
select protect_tenant_table('portal_requests');
