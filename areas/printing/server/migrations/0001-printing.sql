create table card_faces (
  tenant_id uuid not null,
  card_template_id uuid not null,
  design jsonb not null,
  version integer not null default 1,
  primary key (tenant_id, card_template_id)
);
select protect_tenant_table('card_faces');

create table print_batches (
  tenant_id uuid not null,
  id uuid not null,
  state text not null,
  printer text not null,
  by_name text not null,
  made_at timestamptz not null,
  primary key (tenant_id, id)
);
create index print_batches_by_time on print_batches (tenant_id, made_at);
select protect_tenant_table('print_batches');

create table printed_cards (
  tenant_id uuid not null,
  id uuid not null,
  -- Null where a single card was printed.
  batch_id uuid,
  n integer not null,
  user_id uuid,
  card_template_id uuid not null,
  card_serial text not null,
  state text not null,
  printer text not null,
  job_id integer,
  -- Rises with each time it is sent to a printer.
  attempt integer not null,
  says text not null,
  -- Until then somebody follows the job.
  followed_until timestamptz,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);
create index printed_cards_by_batch on printed_cards (tenant_id, batch_id, n) where batch_id is not null;
create index printed_cards_by_person on printed_cards (tenant_id, user_id) where user_id is not null;
create index printed_cards_followed on printed_cards (tenant_id, followed_until) where state in ('sending', 'printing');
select protect_tenant_table('printed_cards');
