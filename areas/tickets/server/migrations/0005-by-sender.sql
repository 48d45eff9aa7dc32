-- How many messages somebody wrote in an hour.
create index ticket_messages_by_sender on ticket_messages (tenant_id, sender_id, sent_at);
