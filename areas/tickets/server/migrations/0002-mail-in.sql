-- What a letter is answered to: the secret of the address as a hash, for which ticket, and to whom the letter went.
create table ticket_reply_tokens (
  tenant_id uuid not null,
  hash bytea not null,
  ticket_id integer not null,
  user_id uuid not null,
  made_at timestamptz not null,
  primary key (tenant_id, hash)
);
create index ticket_reply_tokens_by_age on ticket_reply_tokens (tenant_id, made_at);
select protect_tenant_table('ticket_reply_tokens');

-- Mail that arrived, so that none is taken twice, and what is held for a person with its text.
create table ticket_mails (
  tenant_id uuid not null,
  id uuid not null,
  -- A hash of the address and the mail's own id.
  mail_key bytea not null,
  ticket_id integer not null,
  sender text not null,
  subject text not null,
  content text not null,
  state text not null check (state in ('taken', 'held', 'released', 'discarded')),
  reason text not null,
  received_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index ticket_mails_by_key on ticket_mails (tenant_id, mail_key);
create index ticket_mails_by_sender on ticket_mails (tenant_id, sender, received_at);
create index ticket_mails_by_state on ticket_mails (tenant_id, state, received_at);
select protect_tenant_table('ticket_mails');
