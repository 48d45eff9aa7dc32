-- The hash of what the browser that showed the certificate was given: without it nobody ends the sign-in.
alter table certificate_attempts add column ticket_hash text;
