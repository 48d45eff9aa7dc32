-- The photo that somebody sent with a request of their own, cleaned before it was kept.
create table card_request_photos (
  tenant_id uuid not null,
  request_id uuid not null,
  type text not null,
  bytes bytea not null,
  primary key (tenant_id, request_id),
  foreign key (tenant_id, request_id) references card_requests (tenant_id, id) on delete cascade
);
select protect_tenant_table('card_request_photos');
