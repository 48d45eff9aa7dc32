alter table card_templates
  -- Its keys are to be attested by the card's maker; otherwise a proof by signature is enough.
  add column attested boolean not null default false;

alter table card_slots
  add column origin text not null default 'proved',
  -- Why it is not attested, or who attests it and by which rules the key is used.
  add column origin_says text not null default '',
  -- The statement of the card and the certificate of the key that signed it, so that it can be checked again.
  add column statement bytea,
  add column device bytea;

-- Whose cards are believed besides those of Yubico.
create table card_attestation (
  tenant_id uuid not null,
  roots text not null,
  accepts_virtual boolean not null,
  changed_at timestamptz not null,
  primary key (tenant_id)
);
select protect_tenant_table('card_attestation');
