-- Where answers to a letter go; empty where they go to the tenancy.
alter table outbox add column reply_to text not null default '';
