-- The last number that a ticket of the tenancy was given.
create table ticket_numbers (
  tenant_id uuid not null primary key,
  last integer not null
);
select protect_tenant_table('ticket_numbers');

create table tickets (
  tenant_id uuid not null,
  -- The number that people call it by, counted in each tenancy by itself.
  ticket_id integer not null,
  -- The name in the audit log, which is unique in the installation.
  id uuid not null,
  title text not null,
  category text not null,
  description text not null,
  status text not null,
  priority text not null,
  created_by uuid not null,
  -- As it was then, because the account may be gone or belong to another tenancy.
  created_name text not null,
  assigned_to uuid,
  assigned_name text,
  -- Whose turn it is by the last public message.
  waiting_on text not null check (waiting_on in ('us', 'requester')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  first_response_at timestamptz,
  closed_at timestamptz,
  version integer not null default 1,
  primary key (tenant_id, ticket_id)
);
create unique index tickets_by_id on tickets (tenant_id, id);
create index tickets_by_update on tickets (tenant_id, updated_at, ticket_id);
create index tickets_by_status on tickets (tenant_id, status, updated_at);
create index tickets_by_requester on tickets (tenant_id, created_by, created_at);
create index tickets_by_handler on tickets (tenant_id, assigned_to, updated_at) where assigned_to is not null;
create index tickets_by_creation on tickets (tenant_id, created_at);
create index tickets_by_closing on tickets (tenant_id, closed_at) where closed_at is not null;
select protect_tenant_table('tickets');

-- The words of title and description, for the search under row security.
create table ticket_words (
  tenant_id uuid not null,
  word text collate "C" not null,
  ticket_id integer not null,
  primary key (tenant_id, word, ticket_id)
);
create index ticket_words_by_ticket on ticket_words (tenant_id, ticket_id);
select protect_tenant_table('ticket_words');

create table ticket_messages (
  tenant_id uuid not null,
  message_id uuid not null,
  ticket_id integer not null,
  sender_id uuid not null,
  sender_name text not null,
  internal boolean not null,
  content text not null,
  sent_at timestamptz not null,
  edited_at timestamptz,
  primary key (tenant_id, message_id)
);
create index ticket_messages_by_ticket on ticket_messages (tenant_id, ticket_id, sent_at);
select protect_tenant_table('ticket_messages');

create table ticket_links (
  tenant_id uuid not null,
  ticket_id integer not null,
  kind text not null,
  record_id text not null,
  added_by uuid not null,
  added_at timestamptz not null,
  primary key (tenant_id, ticket_id, kind, record_id)
);
select protect_tenant_table('ticket_links');
