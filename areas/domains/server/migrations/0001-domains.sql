create table tenancy_domains (
  tenant_id uuid not null,
  id uuid not null,
  -- With A-labels, in small letters.
  name text collate "C" not null,
  -- What the record and the file hold. It is no secret: it stands in public DNS.
  token text not null,
  state text not null check (state in ('claimed', 'proved', 'lapsed')),
  proof text check (proof in ('dns', 'http')),
  proved_at timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz not null,
  failures integer not null default 0,
  includes_subdomains boolean not null default false,
  seen jsonb not null default '[]',
  added_at timestamptz not null,
  version integer not null default 1,
  primary key (tenant_id, id)
);
create unique index tenancy_domains_by_name on tenancy_domains (tenant_id, name);
create index tenancy_domains_by_check on tenancy_domains (tenant_id, next_check_at);
select protect_tenant_table('tenancy_domains');

-- Of the installation: a domain finds its tenancy before anybody is signed in, and is proved for one tenancy at a time.
create table proved_domains (
  name text collate "C" primary key,
  tenant_id uuid not null,
  domain_id uuid not null,
  includes_subdomains boolean not null
);
create index proved_domains_by_tenancy on proved_domains (tenant_id, name);
grant select, insert, update, delete on proved_domains to chancery_app;
