-- Whether a message came as an answer to a letter: then the mail server vouches for its sender, and not a session.
alter table ticket_messages add column by_mail boolean not null default false;
