-- How many pages a reading has read, and when it had its last turn: who waited longest is next.
alter table discovery_providers add column pages integer not null default 0;
alter table discovery_providers add column turn_at timestamptz;
