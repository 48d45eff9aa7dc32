-- What a mass revocation would do, counted without doing it. One row for each drill; it never changes.
create table revocation_drills (
  tenant_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  by_id uuid not null,
  by_name text not null,
  -- The inventory's filter, and the name that it was given.
  name text not null,
  query jsonb not null,
  report jsonb not null,
  primary key (tenant_id, id)
);
create index revocation_drills_by_time on revocation_drills (tenant_id, at desc, id);
select protect_tenant_table('revocation_drills');
