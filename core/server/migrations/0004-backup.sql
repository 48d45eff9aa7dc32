-- What does not outlive the moment: a backup leaves it out.
comment on table repeated_requests is 'backup: left out';
comment on table floor_counts is 'backup: left out';
comment on table job_runs is 'backup: left out';
