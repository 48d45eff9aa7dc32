-- Whether a factor besides the password was given in this session, and when the person last proved who they are.
-- Sessions from before were all opened with a code.

alter table sessions add column strong boolean not null default true;
alter table sessions add column proved_at timestamptz;
alter table sessions alter column strong drop default;
