-- The licence of a template has days of its own, beside those of its authority's licence. Both hold.
alter table template_licences add column from_day date;
alter table template_licences add column until_day date;
alter table template_licences add constraint template_licences_days check (from_day <= until_day);
