-- A licence holds from a day until a day, both among those on which it holds, in UTC; without a day there is no limit on that side.
alter table authority_licences add column from_day date;
alter table authority_licences add column until_day date;
alter table authority_licences add constraint authority_licences_days check (from_day <= until_day);
