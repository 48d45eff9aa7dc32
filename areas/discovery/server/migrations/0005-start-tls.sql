-- How TLS begins at a port where that is not plain from its number: the name of a protocol by the port.
alter table discovery_sources add column start_tls jsonb not null default '[]';
