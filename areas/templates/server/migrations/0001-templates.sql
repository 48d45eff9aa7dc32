-- Certificate templates. Extensions and rules are JSON in the shapes of the contract, read whole and written whole.
create table templates (
  tenant_id uuid not null,
  id uuid not null,
  ca_id uuid not null,
  template_name text not null,
  display_name text not null,
  class text not null,
  access_level text not null,
  self_service_eligible boolean not null,
  enabled boolean not null,
  priority integer,
  issue_approvers integer not null check (issue_approvers >= 0),
  revocation_approvers integer not null check (revocation_approvers >= 0),
  extensions jsonb not null,
  rules jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index templates_by_name on templates (tenant_id, ca_id, lower(template_name));
select protect_tenant_table('templates');
