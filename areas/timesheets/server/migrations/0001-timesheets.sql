create table timesheet_weeks (
  tenant_id uuid not null,
  user_id uuid not null,
  -- As it was then, because the account may be gone.
  username text not null,
  -- The Monday of the week, such as 2026-11-23.
  week text collate "C" not null,
  state text not null check (state in ('draft', 'submitted', 'approved', 'returned', 'exported')),
  affirmed_empty boolean not null default false,
  minutes integer not null default 0,
  changed_at timestamptz not null,
  submitted_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, user_id, week)
);
create index timesheet_weeks_by_week on timesheet_weeks (tenant_id, week, username);
create index timesheet_weeks_waiting on timesheet_weeks (tenant_id, submitted_at) where state = 'submitted';
select protect_tenant_table('timesheet_weeks');

create table timesheet_entries (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  week text collate "C" not null,
  begins timestamptz not null,
  ends timestamptz not null check (ends > begins),
  break_minutes integer not null,
  activity text not null,
  project text not null,
  note text not null,
  primary key (tenant_id, id)
);
create index timesheet_entries_by_week on timesheet_entries (tenant_id, user_id, week, begins);
create index timesheet_entries_by_time on timesheet_entries (tenant_id, user_id, begins);
select protect_tenant_table('timesheet_entries');

create table timesheet_steps (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  week text collate "C" not null,
  at timestamptz not null,
  by_id uuid not null,
  by_name text not null,
  what text not null,
  reason text not null,
  primary key (tenant_id, id)
);
create index timesheet_steps_by_week on timesheet_steps (tenant_id, user_id, week, at);
select protect_tenant_table('timesheet_steps');
