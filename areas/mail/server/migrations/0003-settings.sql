-- Under which name mail of a tenancy is sent, and where answers to it go. Without a row: its own name, and no address for answers.
create table mail_settings (
  tenant_id uuid not null primary key,
  sender_name text not null,
  reply_to text not null
);
select protect_tenant_table('mail_settings');
