-- Which tables an export takes, by their names: as many as before may be others.
alter table tenancy_exports add column table_names text[] not null default '{}';
