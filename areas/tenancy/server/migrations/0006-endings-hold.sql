-- Names the schema, because a temporary table of the same name would be asked instead. The owner is not held: it could drop the trigger.
create or replace function refuse_delete_while_tenancy_stays() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) and not exists (
    select from public.tenancies where id = nullif(current_setting('chancery.tenant', true), '')::uuid and removing_at is not null
  ) then
    raise exception using errcode = '42501', message = format('permission denied for table %s', tg_table_name);
  end if;
  return null;
end $$;

-- A removal begins after the waiting time alone, and is not taken back, because rows are gone by then. A tenancy goes at its end alone.
create function hold_ending() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
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
  if old.removing_at is null and new.removing_at is not null
    and (old.ends_at is null or new.ends_at is distinct from old.ends_at or new.removing_at < old.ends_at) then
    raise exception using errcode = '42501', message = 'A removal begins after the waiting time';
  end if;
  return new;
end $$;
create trigger hold_ending before update or delete on tenancies for each row execute function hold_ending();
