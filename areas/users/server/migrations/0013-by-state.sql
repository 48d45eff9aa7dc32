-- A list counts how many of its people are active, invited and disabled: from the index alone, where it shows all.
create index users_by_state on users (tenant_id, enabled, activated_at);
