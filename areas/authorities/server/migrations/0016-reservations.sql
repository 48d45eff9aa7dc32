-- Serials of certificates that are signed together: on record from before the first signature until all are stored, in the commit that stores them as
-- signed. A row that was left behind by a crash says which serials were promised: none of their certificates was handed out, and they become void.
create table reservations (
  tenant_id uuid not null,
  id uuid not null,
  ca_id uuid not null,
  signature_algorithm text not null,
  -- The same places in each list: the serial, what it was for, the end and the part of the list that its certificate would have had.
  serials bytea[] not null,
  about_ids uuid[] not null,
  ends timestamptz[] not null,
  crl_shards integer[] not null,
  reserved_at timestamptz not null,
  primary key (tenant_id, id)
);
select protect_tenant_table('reservations');
