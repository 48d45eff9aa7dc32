-- The address that the link was mailed to, in small letters: it leads nowhere once the account has another.
-- None for links that were made before this was kept.
alter table activation_links add column email_key text;
