-- Why it is printed again, as the person said who let it.
alter table printed_cards add column again_for text not null default '';
