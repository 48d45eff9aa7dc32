-- An e-mail address names one person of a tenancy: templates write it into certificates. Where several had the same, the oldest keeps it; the
-- others' stay as they are, without a key, until somebody changes them.

alter table users add column email_key text;
-- The owner may be one whom forced row security would show nothing.
alter table users no force row level security;
update users set email_key = lower(users.email_address)
from (select tenant_id, id, row_number() over (partition by tenant_id, lower(email_address) order by created_at, id) as place from users) as ranked
where users.tenant_id = ranked.tenant_id and users.id = ranked.id and ranked.place = 1;
alter table users force row level security;
create unique index users_by_email on users (tenant_id, email_key);
