create table sponsors (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  organisation_id uuid,
  begins timestamptz not null,
  -- Null for good.
  until timestamptz,
  most integer not null,
  pass_types text[] not null,
  note text not null,
  added_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index sponsors_by_person on sponsors (tenant_id, user_id);
create index sponsors_by_organisation on sponsors (tenant_id, organisation_id) where organisation_id is not null;
select protect_tenant_table('sponsors');

-- A person has one sponsor at most.
create table sponsored_people (
  tenant_id uuid not null,
  user_id uuid not null,
  sponsor_id uuid not null,
  since timestamptz not null,
  primary key (tenant_id, user_id)
);
create index sponsored_people_by_sponsor on sponsored_people (tenant_id, sponsor_id, user_id);
select protect_tenant_table('sponsored_people');
