create table passes (
  tenant_id uuid not null,
  id uuid not null,
  number text not null,
  kind text not null,
  -- available, issued, misplaced or inactive. Expired is an issued one after its end.
  status text not null,
  user_id uuid,
  given_name text not null,
  family_name text not null,
  valid_from timestamptz,
  valid_until timestamptz,
  -- Set when it was told that it was not returned in time.
  expired_at timestamptz,
  reason text not null,
  print_id uuid,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index passes_by_number on passes (tenant_id, number);
create index passes_by_person on passes (tenant_id, user_id) where user_id is not null;
create index passes_by_print on passes (tenant_id, print_id) where print_id is not null;
create index passes_to_expire on passes (tenant_id, valid_until) where status = 'issued' and expired_at is null;
select protect_tenant_table('passes');

create table pass_prints (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  quantity integer not null,
  first_number text not null,
  last_number text not null,
  by_name text not null,
  at timestamptz not null,
  primary key (tenant_id, id)
);
create index pass_prints_by_time on pass_prints (tenant_id, at);
select protect_tenant_table('pass_prints');
