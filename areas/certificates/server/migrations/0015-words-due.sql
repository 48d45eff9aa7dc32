-- Certificates are found by their SHA-1 fingerprints and organisations, too. Those that are here already get these words from a job, a few at a time: this says
-- in which tenancies, and behind which certificate it goes on.
create table certificate_words_due (
  tenant_id uuid primary key,
  after uuid not null
);
select protect_tenant_table('certificate_words_due');
alter table certificates no force row level security;
insert into certificate_words_due (tenant_id, after)
with recursive tenancies as (
  (select tenant_id from certificates order by tenant_id limit 1)
  union all
  select (select next.tenant_id from certificates next where next.tenant_id > tenancies.tenant_id order by next.tenant_id limit 1) from tenancies where tenancies.tenant_id is not null
)
select tenant_id, '00000000-0000-0000-0000-000000000000' from tenancies where tenant_id is not null;
alter table certificates force row level security;
