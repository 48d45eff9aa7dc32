-- How many entries a piece holds: the database joins them itself, so nobody else has counted.
alter table crl_pieces add column entries integer not null default 0;
