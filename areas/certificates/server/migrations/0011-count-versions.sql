-- Changes whenever counts are added up: who remembers what they came to knows by it whether that still holds.
create table certificate_count_versions (
  tenant_id uuid not null,
  version uuid not null,
  primary key (tenant_id)
);
select protect_tenant_table('certificate_count_versions');
comment on table certificate_count_versions is 'backup: left out';
alter table certificate_counts no force row level security;
insert into certificate_count_versions (tenant_id, version) select tenant_id, gen_random_uuid() from certificate_counts group by 1;
alter table certificate_counts force row level security;
