-- Lists in parts: how many an authority publishes, and on which of them each certificate stands. A certificate names its part, so it
-- keeps it for ever; more parts are for new certificates.
alter table authorities add column crl_shards integer not null default 0 check (crl_shards between 0 and 9999);
alter table serials add column crl_shard integer not null default 0;

-- Counts what changed in the status of an authority's certificates. The row is held to the end of each transaction that changes one, so a
-- reader who sees a count sees every change up to it.
create table serial_revisions (
  tenant_id uuid not null,
  ca_id uuid not null,
  revision bigint not null,
  primary key (tenant_id, ca_id)
);

-- The revoked, beside their serials and in the order of revocation: a list of a million is read from here front to back, each entry as the
-- DER in which it was written once. A hold that was released stays, as the entry that a delta list tells it by.
create table revoked_serials (
  tenant_id uuid not null,
  ca_id uuid not null,
  serial bytea not null,
  crl_shard integer not null,
  revision bigint not null,
  not_after timestamptz not null,
  released boolean not null,
  entry bytea not null,
  primary key (tenant_id, ca_id, serial)
);
-- Those that were revoked before, one revision each: SEQUENCE { serial, UTCTime, reason and invalidity date where there are any }, every
-- length below 128. The owner may be one whom forced row security would show nothing.
alter table serials no force row level security;
insert into revoked_serials
select tenant_id, ca_id, serial, crl_shard, row_number() over (partition by tenant_id, ca_id order by revoked_at, serial), not_after, false,
  '\x30'::bytea || set_byte('\x00'::bytea, 0, octet_length(body)) || body
from (
  select s.*,
    set_byte('\x0200'::bytea, 1, octet_length(number)) || number || time
    || case when octet_length(extensions) = 0 then ''::bytea else set_byte('\x3000'::bytea, 1, octet_length(extensions)) || extensions end as body
  from (
    select *,
      case when get_byte(serial, 0) >= 128 then '\x00'::bytea || serial else serial end as number,
      '\x170d'::bytea || convert_to(to_char(revoked_at at time zone 'UTC', 'YYMMDDHH24MISS') || 'Z', 'UTF8') as time,
      coalesce('\x300a0603551d1504030a01'::bytea || set_byte('\x00'::bytea, 0, case revocation_reason
        when 'keyCompromise' then 1 when 'cACompromise' then 2 when 'affiliationChanged' then 3 when 'superseded' then 4
        when 'cessationOfOperation' then 5 when 'certificateHold' then 6 when 'privilegeWithdrawn' then 9 when 'aACompromise' then 10 end), ''::bytea)
      || coalesce('\x30180603551d180411180f'::bytea || convert_to(to_char(invalidity_date at time zone 'UTC', 'YYYYMMDDHH24MISS') || 'Z', 'UTF8'), ''::bytea) as extensions
    from serials where revoked_at is not null
  ) s
) entries;
alter table serials force row level security;
insert into serial_revisions select tenant_id, ca_id, max(revision) from revoked_serials group by tenant_id, ca_id;

create index revoked_serials_by_revision on revoked_serials (tenant_id, ca_id, revision, serial);
create index revoked_serials_by_shard on revoked_serials (tenant_id, ca_id, crl_shard, revision, serial) where crl_shard > 0;
select protect_tenant_table('serial_revisions');
select protect_tenant_table('revoked_serials');
revoke delete on revoked_serials from chancery_app;
