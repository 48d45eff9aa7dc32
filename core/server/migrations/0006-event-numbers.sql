-- The application records events and cannot number them: a number of its own choosing could stand first in the list or jam what comes after.
revoke insert on events from chancery_app;
grant insert (tenant_id, id, at, actor_id, actor, address, area, name, outcome, about, body, request_id) on events to chancery_app;
