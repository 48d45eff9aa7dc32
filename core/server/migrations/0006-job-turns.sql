-- In how many tenancies a job ran and failed, and behind which one its next run begins. Runs of jobs by their earlier names are gone.
alter table job_runs add column tenancies integer, add column failed integer, add column start_after uuid;
delete from job_runs where name in ('audit-verify', 'authorities-finish', 'authorities-take-over', 'health-watch', 'ocsp-signers', 'revocation-lists');
