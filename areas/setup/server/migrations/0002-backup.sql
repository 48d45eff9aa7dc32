-- A set-up link works once, in its own installation.
comment on table setup_links is 'backup: left out';
