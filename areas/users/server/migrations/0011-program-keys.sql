-- The secrets by which programs come, as the room that makes them says: what a program began with one is judged again by it.
alter table program_accounts add column ends_at timestamptz;
create table program_keys (
  tenant_id uuid not null,
  id uuid not null,
  program_id uuid not null,
  ends_at timestamptz,
  primary key (tenant_id, id)
);
create index program_keys_of_program on program_keys (tenant_id, program_id);
select protect_tenant_table('program_keys');
