-- Cards that waited before a card was bound to its request are bound to the one that was open when they were put into their batch: without it they would come
-- out without their photo, those of withdrawn requests among them. The policy holds an owner, too, so that it is lifted meanwhile.
alter table printed_cards no force row level security;
alter table card_requests no force row level security;
alter table card_request_photos no force row level security;

create temporary table earlier_cards on commit drop as
  select card.tenant_id, card.id, card.user_id, card.card_template_id, card.changed_at
  from printed_cards card
  where card.state = 'waiting' and card.request_id is null and card.photo_request_id is null
  -- Those that came after it have no request because they were printed by name.
  and card.changed_at < (select ran_at from migrations where name = 'printing/0003-requests.sql');

update printed_cards card set request_id = request.id
  from earlier_cards earlier
  join card_requests request on request.tenant_id = earlier.tenant_id and request.user_id = earlier.user_id
    and request.card_template_id = earlier.card_template_id
  where card.tenant_id = earlier.tenant_id and card.id = earlier.id
  and request.made_at <= earlier.changed_at and (request.ended_at is null or request.ended_at > earlier.changed_at);

update printed_cards card set photo_request_id = coalesce(
    (select photo.request_id from card_request_photos photo where photo.tenant_id = card.tenant_id and photo.request_id = card.request_id),
    (select request.id from card_requests request
      join card_request_photos photo on photo.tenant_id = request.tenant_id and photo.request_id = request.id
      where card.request_id is null and request.tenant_id = card.tenant_id and request.user_id = card.user_id
      and request.card_template_id = card.card_template_id and request.state <> 'withdrawn' and request.made_at <= earlier.changed_at
      order by request.made_at desc limit 1))
  from earlier_cards earlier
  where card.tenant_id = earlier.tenant_id and card.id = earlier.id;

alter table card_request_photos force row level security;
alter table card_requests force row level security;
alter table printed_cards force row level security;
