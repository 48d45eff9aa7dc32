-- A list is the whole of an authority's (part 0), one of its parts (from 1), or the delta to the whole (-1). All of an authority are numbered
-- from one series. The signed part stands in pieces, to be written and given out without ever being in memory at once; what the signature
-- adds before and behind it stands with the list.
alter table crls drop constraint crls_pkey;
alter table crls add column part integer not null default 0 check (part >= -1);
alter table crls add column head bytea;
alter table crls add column tail bytea;
alter table crls add column bytes bigint not null default 0;
-- The number of the whole list that a delta builds upon.
alter table crls add column base_number bigint;
-- It was told that this list nears its end and there is none to follow.
alter table crls add column alarmed boolean not null default false;
alter table crls add primary key (tenant_id, ca_id, part, number);
create index crls_by_number on crls (tenant_id, ca_id, number);

create table crl_pieces (
  tenant_id uuid not null,
  ca_id uuid not null,
  part integer not null,
  number bigint not null,
  position integer not null,
  bytes bytea not null,
  primary key (tenant_id, ca_id, part, number, position)
);
-- Serial numbers do not compress.
alter table crl_pieces alter column bytes set storage external;

-- The owner may be one whom forced row security would show nothing.
alter table crls no force row level security;
insert into crl_pieces select tenant_id, ca_id, part, number, 0, coalesce(der, to_be_signed) from crls where coalesce(der, to_be_signed) is not null;
update crls set head = '', tail = '', bytes = octet_length(der) where der is not null;
alter table crls force row level security;
alter table crls drop column der;
alter table crls drop column to_be_signed;
select protect_tenant_table('crl_pieces');

-- How an authority tells of revocations, where it is not as usual.
create table status_settings (
  tenant_id uuid not null,
  ca_id uuid not null,
  delta boolean not null,
  delta_minutes integer not null check (delta_minutes between 5 and 1440),
  responder_id text not null check (responder_id in ('byKey', 'byName')),
  delegated boolean not null,
  primary key (tenant_id, ca_id)
);
select protect_tenant_table('status_settings');
