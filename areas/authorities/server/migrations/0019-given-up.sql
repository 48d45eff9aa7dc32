-- An authority whose certificate was given up while it was signed: it stays on record, for its serial is void, and leaves its name to others.
alter table authorities add column given_up_at timestamptz;
-- The owner may be one whom forced row security would show nothing.
alter table authorities no force row level security;
alter table serials no force row level security;
update authorities set given_up_at = created_at
where certificate is null and kind <> 'outside' and exists (
  select from serials where serials.tenant_id = authorities.tenant_id and serials.about_id = authorities.id and serials.state = 'void'
);
alter table authorities force row level security;
alter table serials force row level security;
drop index authorities_by_name;
create unique index authorities_by_name on authorities (tenant_id, lower(friendly_name)) where given_up_at is null;
-- Who asked for it, so that what goes on after a crash is checked as the call would have been. None of what was made without a call.
alter table authorities add column requested_by uuid;
alter table authority_certificates add column requested_by uuid;
