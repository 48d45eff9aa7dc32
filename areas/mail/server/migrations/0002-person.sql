-- Whom a mail is for, so that one whose link is used or void by then is not sent any more.
alter table outbox add column user_id uuid;
