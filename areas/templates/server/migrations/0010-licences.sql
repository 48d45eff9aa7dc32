-- What a tenancy adds to its own templates: anonymous use, a fixed place in lists, and rules stricter than the template's.
alter table templates add column anonymous_enabled boolean not null default false;
alter table templates add column pinned text not null default '' check (pinned in ('', 'mandatory', 'static'));
alter table templates add column narrowing jsonb not null default '{}';

-- To whom a template is licensed: the owner's side, which says whether the licence holds.
create table template_licences (
  tenant_id uuid not null,
  template_id uuid not null,
  licensee_id uuid not null,
  enabled boolean not null,
  changed_at timestamptz not null,
  primary key (tenant_id, template_id, licensee_id),
  foreign key (tenant_id, template_id) references templates (tenant_id, id) on delete cascade
);
select protect_tenant_table('template_licences');

-- The licensee's side: where the template is, and what this tenancy makes of it. The template itself is read from its owner, as it is now.
create table licensed_templates (
  tenant_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  ca_id uuid not null,
  owner_id uuid not null,
  enabled boolean not null,
  anonymous_enabled boolean not null,
  self_service_eligible boolean not null,
  priority integer,
  pinned text not null check (pinned in ('', 'mandatory', 'static')),
  narrowing jsonb not null,
  version integer not null,
  licensed_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index licensed_templates_by_template on licensed_templates (tenant_id, template_id);
select protect_tenant_table('licensed_templates');
