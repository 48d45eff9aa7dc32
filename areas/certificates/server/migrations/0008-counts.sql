-- How many certificates there are, kept: by template, authority, day of their end, and whether they are revoked. What changes it is added as a row in
-- the same transaction, so that nobody waits for anybody; a job adds those rows up. A count is the sum over both tables.
create table certificate_counts (
  tenant_id uuid not null,
  -- In UTC. Days long past are put together under the first of their year.
  ends_on date not null,
  revoked boolean not null,
  -- Zeros where there is none.
  template_id uuid not null,
  ca_id uuid not null,
  count bigint not null,
  primary key (tenant_id, ends_on, revoked, template_id, ca_id)
);
select protect_tenant_table('certificate_counts');
-- A restore counts anew what it puts in.
comment on table certificate_counts is 'backup: left out';

create table certificate_count_changes (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  ends_on date not null,
  revoked boolean not null,
  template_id uuid not null,
  ca_id uuid not null,
  count bigint not null,
  primary key (tenant_id, id)
);
select protect_tenant_table('certificate_count_changes');
comment on table certificate_count_changes is 'backup: left out';

create function count_certificates() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into certificate_count_changes (tenant_id, ends_on, revoked, template_id, ca_id, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), count(*)
    from added group by 1, 2, 3, 4, 5;
  else
    insert into certificate_count_changes (tenant_id, ends_on, revoked, template_id, ca_id, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), sum(step)
    from (select tenant_id, not_after, revoked_at, template_id, ca_id, 1 as step from added union all select tenant_id, not_after, revoked_at, template_id, ca_id, -1 from gone) as steps
    group by 1, 2, 3, 4, 5 having sum(step) <> 0;
  end if;
  return null;
end $$;
create trigger count_added after insert on certificates referencing new table as added for each statement execute function count_certificates();
create trigger count_changed after update on certificates referencing old table as gone new table as added for each statement execute function count_certificates();

alter table certificates no force row level security;
insert into certificate_counts (tenant_id, ends_on, revoked, template_id, ca_id, count)
select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), count(*)
from certificates group by 1, 2, 3, 4, 5;
alter table certificates force row level security;

-- The serial before the authority: the list is sorted by it, and a serial is looked for without knowing whose. It is found here now and not by a word.
drop index certificates_by_serial;
create unique index certificates_by_serial on certificates (tenant_id, serial_hex, ca_id) include (id);
create index certificates_by_fingerprint on certificates (tenant_id, fingerprint_sha256);
-- Those that begin later than they were issued: none, as a rule.
create index certificates_to_begin on certificates (tenant_id, not_before) where not_before > issued_at;
-- A page far behind is reached along an index alone, and that needs pages that are marked as seen by all.
alter table certificates set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
alter table certificate_words set (autovacuum_vacuum_insert_scale_factor = 0.02);
