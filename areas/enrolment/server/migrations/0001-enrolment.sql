-- Who shall have a certificate of which template without asking.
create table enrolment_rules (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  enabled boolean not null,
  entity text not null check (entity in ('user', 'device')),
  template_id uuid not null,
  -- Of users: whoever has one of these roles; everybody where there is none.
  role_ids uuid[] not null,
  -- Of devices: their DNS names.
  device_names text[] not null,
  renew_days integer not null check (renew_days >= 0),
  made_by uuid not null,
  made_by_name text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_run_at timestamptz,
  primary key (tenant_id, id)
);
create unique index enrolment_rules_by_name on enrolment_rules (tenant_id, lower(name));
select protect_tenant_table('enrolment_rules');

-- What a rule did for each, or why not.
create table enrolment_outcomes (
  tenant_id uuid not null,
  rule_id uuid not null,
  subject text not null,
  subject_name text not null,
  state text not null check (state in ('held', 'requested', 'refused')),
  reason text not null,
  request_id uuid,
  request_key text not null,
  at timestamptz not null,
  primary key (tenant_id, rule_id, subject),
  foreign key (tenant_id, rule_id) references enrolment_rules (tenant_id, id) on delete cascade
);
select protect_tenant_table('enrolment_outcomes');
