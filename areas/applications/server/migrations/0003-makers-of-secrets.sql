-- Who made the secret, and so knows it: what it opens is judged by that person's rights too.
alter table application_secrets add column made_by uuid;
