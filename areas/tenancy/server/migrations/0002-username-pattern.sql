-- What usernames of the tenancy must fit besides what holds for all, and what is said of one that does not.
alter table tenancies add column username_pattern text not null default '', add column username_message text not null default '';
