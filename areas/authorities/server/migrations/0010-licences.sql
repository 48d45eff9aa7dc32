-- To whom an authority is licensed: the owner's side, which is asked whenever something is issued, and the licensee's, which only leads there.
create table authority_licences (
  tenant_id uuid not null,
  ca_id uuid not null,
  licensee_id uuid not null,
  enabled boolean not null,
  changed_at timestamptz not null,
  primary key (tenant_id, ca_id, licensee_id),
  foreign key (tenant_id, ca_id) references authorities (tenant_id, id)
);
select protect_tenant_table('authority_licences');

create table licensed_authorities (
  tenant_id uuid not null,
  ca_id uuid not null,
  owner_id uuid not null,
  licensed_at timestamptz not null,
  primary key (tenant_id, ca_id)
);
select protect_tenant_table('licensed_authorities');
