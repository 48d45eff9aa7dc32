-- How somebody reads stands beside the mail that is written to them.
-- Row security is lifted meanwhile: an owner without further rights would see no row of any tenancy.
alter table user_preferences no force row level security;
alter table readers no force row level security;
insert into readers (tenant_id, user_id, language, date_locale, time_zone)
  select tenant_id, user_id, '', date_locale, time_zone from user_preferences where date_locale <> '' or time_zone <> '';
alter table user_preferences drop column date_locale, drop column time_zone;
alter table readers force row level security;
alter table user_preferences force row level security;
