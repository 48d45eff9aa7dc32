-- A serial that was reserved and will never be signed: its key was made here and is lost. The row stays, for the record; its bytes are gone.

alter table serials drop constraint serials_state_check;
alter table serials add constraint serials_state_check check (state in ('reserved', 'signed', 'void'));
