-- Most of a list stands in the one before. A piece that is the same refers to the list in which its bytes lie, and has none of its own.
alter table crl_pieces add column same_as bigint;
-- What tells that a run of revisions is still what it was: how many serials stood in it, listed or not, and when the first of those listed ends.
-- Pieces of before know neither, and are joined anew once.
alter table crl_pieces add column stands integer;
alter table crl_pieces add column ends timestamptz;
create index crl_pieces_by_source on crl_pieces (tenant_id, ca_id, part, same_as, position) where same_as is not null;
