-- An authority lives longer than one certificate: it is renewed, linked to its successor, and certified by others. One row for each certificate of an
-- authority here, and for each that an authority here gave to one outside (ca_id is null). Without bytes it is reserved and not signed yet.
create table authority_certificates (
  tenant_id uuid not null,
  id uuid not null,
  ca_id uuid,
  -- main: of its own issuer. link: between the old key and the new one of the same name. cross: of another authority beside its own issuer.
  role text not null check (role in ('main', 'link', 'cross')),
  -- The authority here that signs it, and under which serial; null where one outside did.
  issuer_id uuid,
  serial bytea not null,
  subject_text text not null,
  issuer_text text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  certificate bytea,
  -- From its issuer up, as far as it is known.
  issuer_chain bytea[] not null,
  request_key text,
  made_at timestamptz not null,
  certified_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, ca_id) references authorities (tenant_id, id),
  foreign key (tenant_id, issuer_id) references authorities (tenant_id, id),
  check (ca_id is not null or issuer_id is not null),
  check ((certificate is null) = (certified_at is null))
);
create index authority_certificates_by_authority on authority_certificates (tenant_id, ca_id);
create index authority_certificates_by_issuer on authority_certificates (tenant_id, issuer_id, serial);
create unique index authority_certificates_by_request on authority_certificates (tenant_id, request_key) where request_key is not null;
select protect_tenant_table('authority_certificates');
revoke delete on authority_certificates from chancery_app;

-- Those that are there already. The owner may be one whom forced row security would show nothing.
alter table authorities no force row level security;
alter table serials no force row level security;
alter table authority_certificates no force row level security;
insert into authority_certificates
select a.tenant_id, gen_random_uuid(), a.id, 'main', s.ca_id, coalesce(s.serial, ''::bytea), a.subject_text, coalesce(i.subject_text, ''), a.not_before, a.not_after, a.certificate, a.issuer_chain, null, a.created_at, a.certified_at
from authorities a
left join serials s on s.tenant_id = a.tenant_id and s.about_id = a.id and s.about_kind = 'authority' and s.state = 'signed'
left join authorities i on i.tenant_id = s.tenant_id and i.id = s.ca_id
where a.certificate is not null;
alter table authority_certificates force row level security;
alter table serials force row level security;
alter table authorities force row level security;

-- cross: a certificate that an authority gave to another one beside that one's own issuer, or to its own other key.
alter table serials drop constraint serials_about_kind_check;
alter table serials add constraint serials_about_kind_check check (about_kind in ('certificate', 'authority', 'signer', 'cross'));

-- offline: its key is never here; its certificate and its lists are brought.
alter table authorities alter column key_id drop not null;
alter table authorities drop constraint authorities_kind_check;
alter table authorities add constraint authorities_kind_check check (kind in ('root', 'subordinate', 'outside', 'offline'));
alter table authorities add constraint authorities_key_check check ((kind = 'offline') = (key_id is null));
-- One below an offline authority has its request signed there, so it is an outside one with an issuer.
alter table authorities drop constraint authorities_check;
alter table authorities add constraint authorities_issuer_check check (kind in ('outside', 'offline') or (kind = 'subordinate') = (issuer_id is not null));
-- A new key of an old name: from when its templates are the successor's, and since when two keys sign under one name.
alter table authorities add column predecessor_id uuid;
alter table authorities add column moves_at timestamptz;
alter table authorities add column moved_at timestamptz;
alter table authorities add column name_shared_since timestamptz;
alter table authorities add foreign key (tenant_id, predecessor_id) references authorities (tenant_id, id);
create unique index authorities_by_predecessor on authorities (tenant_id, predecessor_id) where predecessor_id is not null;
