-- When the night last began with a directory: where all of them take longer than a run of the job, the next run goes on and reads none twice.
alter table directories add column night_began_at timestamptz;
