-- How each person reads: the language of their mail, and how days and times are written. Empty where they have chosen none.
create table readers (
  tenant_id uuid not null,
  user_id uuid not null,
  language text not null,
  date_locale text not null,
  time_zone text not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('readers');
-- The language of mail to who has chosen none.
alter table mail_settings add column language text not null default 'en-GB';
