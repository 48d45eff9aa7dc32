-- How each recurring job went the last time, on whichever server. Of the installation, not of a tenant.
create table job_runs (
  name text primary key,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text not null check (outcome in ('running', 'done', 'failed')),
  error text not null default ''
);
grant select, insert, update, delete on job_runs to chancery_app;
