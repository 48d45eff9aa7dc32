-- One row for each piece of work on many rows at once. Its rows are written down when it is prepared, so that what was confirmed is what is done.
create table bulk_runs (
  tenant_id uuid not null,
  id uuid not null,
  action text not null,
  state text not null check (state in ('prepared', 'running', 'done', 'cancelled')),
  parameters jsonb not null,
  -- The list's filter, or null where the rows were chosen one by one.
  query jsonb,
  facts jsonb not null,
  -- The work stands behind this position: rows up to it are done or failed, rows behind it have not been begun.
  reached integer not null,
  total integer not null,
  failed integer not null,
  -- What became of those that did not fail, counted by word.
  outcomes jsonb not null,
  user_id uuid not null,
  home_tenant_id uuid not null,
  actor text not null,
  address text not null,
  -- What the person's session or token allowed when it was confirmed: the work may do no more, whatever the person is given later.
  granted text[] not null,
  prepared_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  ended_by text not null,
  -- The run whose failed rows these are.
  repeats uuid,
  primary key (tenant_id, id)
);
create index bulk_runs_by_time on bulk_runs (tenant_id, prepared_at desc, id);
create index bulk_runs_open on bulk_runs (tenant_id, started_at) where state = 'running';
select protect_tenant_table('bulk_runs');

create table bulk_rows (
  tenant_id uuid not null,
  run_id uuid not null,
  position integer not null,
  target_id uuid not null,
  label text not null,
  -- Which state of the target the person was shown, where it can be edited.
  version integer not null,
  -- Why it failed; both null where it did not.
  failure_code text,
  failure text,
  primary key (tenant_id, run_id, position)
);
create index bulk_rows_failed on bulk_rows (tenant_id, run_id, position) where failure_code is not null;
select protect_tenant_table('bulk_rows');
