-- The audit log is searched by what happened and by who did it, however long it is: each name with each outcome, and each person, is read from the newest event on.
create index events_by_name on events (tenant_id, area, name, outcome, at desc, id desc);
create index events_by_actor on events (tenant_id, actor_id, at desc) where actor_id is not null;
