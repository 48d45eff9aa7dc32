-- Of the installation: read before a tenant is known.
create table tenancies (
  id uuid primary key,
  name text not null,
  kind text not null check (kind in ('management', 'tenant')),
  managed_by uuid references tenancies (id),
  banner_colour text not null,
  support_email text not null default '',
  disclaimer text not null default '',
  toast_timeout text not null default '',
  time_zone text not null default 'UTC',
  created_at timestamptz not null
);
create unique index tenancies_by_name on tenancies (lower(name));
create index tenancies_by_manager on tenancies (managed_by, name);
create unique index tenancies_one_management on tenancies (kind) where kind = 'management';
grant select, insert, update on tenancies to chancery_app;

create table public_addresses (
  id text primary key,
  tenant_id uuid not null references tenancies (id),
  kind text not null,
  target uuid not null
);
grant select, insert on public_addresses to chancery_app;
