-- A tenancy that somebody deleted: from then on nobody works in it, at `ends_at` it is removed. Until `removing_at` it can be kept.
alter table tenancies add column ends_at timestamptz, add column removing_at timestamptz, add column end_asked_by text not null default '';
create index tenancies_ending on tenancies (ends_at) where ends_at is not null;
grant delete on tenancies, public_addresses to chancery_app;

-- What stands in these tables is never deleted for itself, because it says what was signed; all of it goes with its tenancy.
create function refuse_delete_while_tenancy_stays() returns trigger language plpgsql as $$
begin
  if not exists (select from tenancies where id = nullif(current_setting('chancery.tenant', true), '')::uuid and removing_at is not null) then
    raise exception using errcode = '42501', message = format('permission denied for table %s', tg_table_name);
  end if;
  return null;
end $$;

create function goes_with_its_tenancy(kept regclass) returns void language plpgsql as $$
begin
  execute format('grant delete on %s to chancery_app', kept);
  execute format('create trigger stays_with_tenancy before delete on %s for each statement execute function refuse_delete_while_tenancy_stays()', kept);
end $$;
