create table user_preferences (
  tenant_id uuid not null,
  user_id uuid not null,
  favourites jsonb not null default '[]',
  date_locale text not null default '',
  time_zone text not null default '',
  primary key (tenant_id, user_id)
);
select protect_tenant_table('user_preferences');
