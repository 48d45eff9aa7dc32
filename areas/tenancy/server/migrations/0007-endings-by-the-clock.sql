-- The end of a deleted tenancy lies a waiting time ahead of the database's own clock, and its removal begins no earlier: whoever works as the application
-- could otherwise set the end into the past and remove the tenancy at once. A day is left for servers whose clocks differ.
create or replace function hold_ending() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    if old.removing_at is null then
      raise exception using errcode = '42501', message = 'A tenancy is deleted only after its removal has begun';
    end if;
    return old;
  end if;
  if old.removing_at is not null and (new.removing_at, new.ends_at) is distinct from (old.removing_at, old.ends_at) then
    raise exception using errcode = '42501', message = 'A removal that has begun is not taken back';
  end if;
  if new.ends_at is not null and new.ends_at is distinct from old.ends_at and new.ends_at < now() + interval '29 days' then
    raise exception using errcode = '42501', message = 'A tenancy that is deleted can be kept for the waiting time';
  end if;
  if old.removing_at is null and new.removing_at is not null
    and (old.ends_at is null or new.ends_at is distinct from old.ends_at or new.removing_at < old.ends_at or old.ends_at > now() + interval '1 day') then
    raise exception using errcode = '42501', message = 'A removal begins after the waiting time';
  end if;
  return new;
end $$;

-- An address that was once printed into certificates goes with its tenancy alone.
create function hold_address() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) and not exists (
    select from public.tenancies where id = old.tenant_id and removing_at is not null
  ) then
    raise exception using errcode = '42501', message = 'permission denied for table public_addresses';
  end if;
  return old;
end $$;
create trigger hold_address before delete on public_addresses for each row execute function hold_address();
