create table card_requests (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  card_template_id uuid not null,
  state text not null,
  due_at timestamptz,
  deliver_to text not null,
  by_name text not null,
  made_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, id)
);
-- A person has one open request for a template, whoever asks at the same moment.
create unique index card_requests_open on card_requests (tenant_id, user_id, card_template_id) where state = 'open';
create index card_requests_by_person on card_requests (tenant_id, user_id);
create index card_requests_by_time on card_requests (tenant_id, made_at);
select protect_tenant_table('card_requests');
