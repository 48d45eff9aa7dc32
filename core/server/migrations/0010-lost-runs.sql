-- How often in a row a server died in the middle of the job: it is begun again at a start so often, each time later, and then given up until its next time.
alter table job_runs add column lost integer not null default 0;
alter table job_runs drop constraint job_runs_outcome_check;
alter table job_runs add constraint job_runs_outcome_check check (outcome in ('running', 'done', 'failed', 'lost'));
