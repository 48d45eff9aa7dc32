alter table cards
  add column label text not null default '',
  -- Where the card lies, in the words of whoever keeps it.
  add column custody text not null default '',
  add column extensions jsonb not null default '{}',
  -- The template of its next issue, where it is another than that of the last.
  add column next_template_id uuid,
  add column assigned_at timestamptz,
  -- A temporary card stands for another one of the same person, for so many days; 0 is without an end.
  add column temporary boolean not null default false,
  add column replaces_id uuid,
  add column temporary_days integer,
  add column suspended_at timestamptz,
  add column suspended_by text not null default '',
  add column suspend_reason text not null default '',
  add column pin_left integer,
  add column passphrase_hash text,
  -- Counts wrong ones in a row.
  add column passphrase_tries integer not null default 0,
  add column passphrase_tried_at timestamptz;
create index cards_by_replaced on cards (tenant_id, replaces_id) where replaces_id is not null;
create index cards_by_status on cards (tenant_id, status, expires_at);

create table card_settings (
  tenant_id uuid not null,
  temporary_days integer not null,
  unlimited_is_default boolean not null,
  changed_at timestamptz not null,
  primary key (tenant_id)
);
select protect_tenant_table('card_settings');
