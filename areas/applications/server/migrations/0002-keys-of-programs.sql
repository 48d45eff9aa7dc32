-- Secrets that were made before the accounts of programs knew them. The owner may be one whom forced row security would show nothing.
alter table applications no force row level security;
alter table application_secrets no force row level security;
alter table program_accounts no force row level security;
alter table program_keys no force row level security;
insert into program_keys (tenant_id, id, program_id, ends_at)
select tenant_id, id, application_id, ends_at from application_secrets
on conflict do nothing;
update program_accounts set ends_at = applications.ends_at from applications
where applications.tenant_id = program_accounts.tenant_id and applications.id = program_accounts.id;
alter table applications force row level security;
alter table application_secrets force row level security;
alter table program_accounts force row level security;
alter table program_keys force row level security;
