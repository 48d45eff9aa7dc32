-- People who sign in without a code, and who let them.
create table code_waivers (
  tenant_id uuid not null,
  user_id uuid not null,
  waived_by uuid not null,
  waived_at timestamptz not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('code_waivers');
