-- The request that the card is printed for: it is printed only while that is open.
alter table printed_cards add column request_id uuid;
-- The request whose photo stands on the card, so that no later one takes its place.
alter table printed_cards add column photo_request_id uuid;
-- Why it was left out when its turn came.
alter table printed_cards add column skipped_for text;
