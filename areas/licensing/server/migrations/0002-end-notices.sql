-- Which notices of a licence's end were sent, so that each is sent once; under another last day they are due anew.
create table licence_end_notices (
  tenant_id uuid not null,
  subject_id uuid not null,
  licensee_id uuid not null,
  until_day date not null,
  days integer not null,
  told_at timestamptz not null,
  primary key (tenant_id, subject_id, licensee_id, until_day, days)
);
select protect_tenant_table('licence_end_notices');
