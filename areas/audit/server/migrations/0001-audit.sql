-- The Merkle tree over all numbered events, its signed checkpoints, and the key that signs them. Of the installation, not of a
-- tenant: one log holds the events of all. Rows are added and never changed, so nobody is granted more.

create table audit_key (
  only_one boolean primary key default true check (only_one),
  origin text not null,
  verifier_key text not null,
  sealed_private_key bytea not null,
  made_at timestamptz not null
);

-- Level 0 holds the leaf hashes by the sequence of their event; level n the roots of perfect subtrees of 2^n leaves.
create table audit_tree (
  level smallint not null,
  position bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, position)
);

create table audit_checkpoints (
  size bigint primary key,
  at timestamptz not null,
  note text not null
);

-- What the nightly verification found.
create table audit_verifications (
  at timestamptz primary key,
  intact boolean not null,
  row_count bigint not null,
  message text not null
);

grant select, insert on audit_key, audit_tree, audit_checkpoints, audit_verifications to chancery_auditor;
