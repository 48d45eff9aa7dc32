-- Confirmed by a token that has scopes: the work serves its person only where they say so.
alter table bulk_runs add column narrowed boolean not null default false;
