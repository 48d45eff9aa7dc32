-- Files that people attach to things. The same bytes stand once in a tenancy, and never for two.
create table attachment_contents (
  tenant_id uuid not null,
  -- SHA-256.
  hash bytea not null,
  size integer not null,
  bytes bytea not null,
  primary key (tenant_id, hash)
);
-- Read in parts, which what is compressed cannot be; and most of it is compressed already.
alter table attachment_contents alter column bytes set storage external;
select protect_tenant_table('attachment_contents');

create table attachments (
  tenant_id uuid not null,
  id uuid not null,
  -- Of which kind of thing, as 'tickets.ticket', and of which one.
  kind text not null,
  about text not null,
  hash bytea not null,
  name text not null,
  type text not null,
  added_by uuid,
  added_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, hash) references attachment_contents (tenant_id, hash)
);
create index attachments_by_subject on attachments (tenant_id, kind, about, added_at, id);
create index attachments_by_content on attachments (tenant_id, hash);
select protect_tenant_table('attachments');

-- How much a tenancy has attached. Its row is also what uploads of one tenancy wait for, so that together they keep the limit.
create table attachment_usage (
  tenant_id uuid primary key,
  bytes bigint not null
);
select protect_tenant_table('attachment_usage');
