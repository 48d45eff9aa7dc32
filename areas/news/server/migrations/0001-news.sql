-- The news of a tenancy; without a row it is the one that the product brings.
create table news (
  tenant_id uuid primary key,
  version integer not null,
  markdown text not null,
  -- The days on which it is shown; both belong to it, and without one there is no bound.
  shown_from text,
  shown_until text,
  changed_by text not null,
  changed_at timestamptz not null
);
select protect_tenant_table('news');

-- The highest version that a person has seen.
create table news_seen (
  tenant_id uuid not null,
  user_id uuid not null,
  version integer not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('news_seen');
