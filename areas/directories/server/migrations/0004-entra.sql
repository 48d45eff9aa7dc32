-- Of Entra ID: where the application signs in, and where Graph goes on to tell what changed since a run that found nothing to do. Empty for the others.
alter table directories add column login_host text not null default '';
alter table directories add column delta text not null default '';
