-- Who asks a provider (a distinguished name, an access key, a client), or the public key of a log; and where a cloud is signed in to.
alter table discovery_providers add column account text not null default '';
alter table discovery_providers add column login text not null default '';

-- A run that is paused is still the one run of its scan.
drop index discovery_runs_open;
create unique index discovery_runs_open on discovery_runs (tenant_id, source_id) where state in ('waiting', 'running', 'paused', 'stopping');
