-- When a role was made and by whom, for the dashboard of role creation. Not known of those from before.
alter table roles add column created_at timestamptz;
alter table roles add column created_by text not null default '';
