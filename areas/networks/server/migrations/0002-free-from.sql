-- Whoever asks for a free address begins here: everything in the subnet before it is taken.
alter table ip_prefixes add column free_from inet;
create index ip_addresses_reserved on ip_addresses (tenant_id, reserved_until) where state = 'reserved';
