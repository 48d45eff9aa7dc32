-- Accounts of programs: nobody signs in with one, and no username leads to it. What may be done with it is written here and depends on no person.
create table program_accounts (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  scopes text[] not null,
  enabled boolean not null,
  primary key (tenant_id, id)
);
select protect_tenant_table('program_accounts');
