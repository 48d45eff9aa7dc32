-- Which reading holds the domain: one that took too long lets go of its own place, and not of the place of the one after it.
alter table group_policy_refreshes add column reading uuid not null default gen_random_uuid();
alter table group_policy_refreshes alter column reading drop default;
