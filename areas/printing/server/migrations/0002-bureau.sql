-- Who prints cards elsewhere: files for them are sealed to this certificate.
create table print_bureaus (
  tenant_id uuid not null,
  certificate bytea not null,
  by_name text not null,
  set_at timestamptz not null,
  primary key (tenant_id)
);
select protect_tenant_table('print_bureaus');

-- Who took which file of a batch.
create table print_file_takings (
  tenant_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  file text not null,
  by_name text not null,
  at timestamptz not null,
  primary key (tenant_id, id)
);
create index print_file_takings_by_batch on print_file_takings (tenant_id, batch_id, at);
select protect_tenant_table('print_file_takings');

create index printed_cards_by_time on printed_cards (tenant_id, changed_at);
