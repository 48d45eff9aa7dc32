-- Nobody is still signed in after a restore.
comment on table sessions is 'backup: left out';
