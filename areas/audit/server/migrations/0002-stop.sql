-- Says why nothing more is recorded: the tree is not the one that was signed last. While the row is there no event can be written by any server, so
-- every change answers 503. Beside the reason stands the checkpoint that the tree does not extend; the row goes when it does again.
create table audit_stops (
  only_one boolean primary key default true check (only_one),
  at timestamptz not null,
  reason text not null,
  checkpoint text not null
);
grant select on audit_stops to chancery_app;
grant select, insert, delete on audit_stops to chancery_auditor;
comment on table audit_stops is 'backup: left out';

create function refuse_events_while_stopped() returns trigger language plpgsql as $$
begin
  if exists (select from audit_stops) then
    raise exception 'the audit log is stopped: its tree is not the one that was signed last';
  end if;
  return null;
end $$;
create trigger refuse_while_stopped before insert on events for each statement execute function refuse_events_while_stopped();
