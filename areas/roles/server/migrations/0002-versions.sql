-- Who changes a role says which version was shown, so that two do not undo each other's changes.
alter table roles add column version integer not null default 1;
