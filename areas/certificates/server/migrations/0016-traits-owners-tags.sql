-- Key, source, findings and usages of a certificate as one number (traits.ts). 0 until a job has looked at those that are here already.
alter table certificates add column traits bigint not null default 0;
-- Who answers for it, where somebody was named, and words of the tenancy's own. Both are found by marked words, like the organisation.
alter table certificates add column owner_user_id uuid;
alter table certificates add column owner text not null default '';
alter table certificates add column tags text[] not null default '{}';
-- It has a successor that is not in the inventory.
alter table certificates add column replaced_at timestamptz;

-- What a list is filtered by stands in these indexes, so that it is counted along an index alone.
alter table certificates drop constraint certificates_pkey, add primary key (tenant_id, id) include (issued_at, not_before, not_after, revoked_at, template_id, ca_id, renewed_by, replaced_at, traits);
drop index certificates_by_end;
create index certificates_by_end on certificates (tenant_id, not_after, id) include (revoked_at, template_id, ca_id, renewed_by, replaced_at, traits);
drop index certificates_on_hold;
create index certificates_on_hold on certificates (tenant_id, id) include (not_after, revoked_at, template_id, ca_id, traits) where revocation_reason = 'certificateHold';
-- The page of a filter that few fit.
create index certificates_by_traits on certificates (tenant_id, traits, issued_at desc);
-- What the job has still to look at: nothing, soon.
create index certificates_without_traits on certificates (tenant_id, id) where traits = 0;

-- The counters count by them, too, and whether another certificate has taken the place: that one's end concerns nobody.
drop trigger count_added on certificates;
drop trigger count_changed on certificates;
drop function count_certificates();
drop table certificate_counts;
drop table certificate_count_changes;

create table certificate_counts (
  tenant_id uuid not null,
  -- In UTC. Days long past are put together under the first of their year.
  ends_on date not null,
  revoked boolean not null,
  replaced boolean not null,
  -- Zeros where there is none.
  template_id uuid not null,
  ca_id uuid not null,
  traits bigint not null,
  count bigint not null,
  primary key (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits)
);
select protect_tenant_table('certificate_counts');
comment on table certificate_counts is 'backup: left out';

create table certificate_count_changes (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  ends_on date not null,
  revoked boolean not null,
  replaced boolean not null,
  template_id uuid not null,
  ca_id uuid not null,
  traits bigint not null,
  count bigint not null,
  primary key (tenant_id, id)
);
select protect_tenant_table('certificate_count_changes');
comment on table certificate_count_changes is 'backup: left out';

create function count_certificates() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into certificate_count_changes (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, renewed_by is not null or replaced_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), traits, count(*)
    from added group by 1, 2, 3, 4, 5, 6, 7;
  elsif tg_op = 'DELETE' then
    insert into certificate_count_changes (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, renewed_by is not null or replaced_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), traits, -count(*)
    from gone group by 1, 2, 3, 4, 5, 6, 7;
  else
    insert into certificate_count_changes (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
    select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, renewed_by is not null or replaced_at is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), traits, sum(step)
    from (select tenant_id, not_after, revoked_at, renewed_by, replaced_at, template_id, ca_id, traits, 1 as step from added union all select tenant_id, not_after, revoked_at, renewed_by, replaced_at, template_id, ca_id, traits, -1 from gone) as steps
    group by 1, 2, 3, 4, 5, 6, 7 having sum(step) <> 0;
  end if;
  return null;
end $$;
create trigger count_added after insert on certificates referencing new table as added for each statement execute function count_certificates();
create trigger count_changed after update on certificates referencing old table as gone new table as added for each statement execute function count_certificates();
create trigger count_removed after delete on certificates referencing old table as gone for each statement execute function count_certificates();

alter table certificates no force row level security;
alter table certificate_counts no force row level security;
insert into certificate_counts (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
select tenant_id, (not_after at time zone 'UTC')::date, revoked_at is not null, renewed_by is not null, coalesce(template_id, '00000000-0000-0000-0000-000000000000'), coalesce(ca_id, '00000000-0000-0000-0000-000000000000'), traits, count(*)
from certificates group by 1, 2, 3, 4, 5, 6, 7;
alter table certificate_count_versions no force row level security;
update certificate_count_versions set version = gen_random_uuid();
insert into certificate_count_versions (tenant_id, version) select tenant_id, gen_random_uuid() from certificate_counts group by 1 on conflict do nothing;
alter table certificate_count_versions force row level security;
alter table certificate_counts force row level security;
alter table certificates force row level security;
