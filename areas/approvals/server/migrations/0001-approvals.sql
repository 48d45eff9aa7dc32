-- What waits for another person's consent, and the votes on it.

create table approvals (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  title text not null,
  requester_id uuid not null,
  requester text not null,
  -- The requester and whoever edited the subject: their votes are refused.
  excluded uuid[] not null,
  needed integer not null check (needed > 0),
  permission text not null,
  state text not null check (state in ('waiting', 'approved', 'denied', 'cancelled')),
  round integer not null default 1,
  opened_at timestamptz not null,
  decided_at timestamptz,
  primary key (tenant_id, id)
);
create unique index approvals_by_subject on approvals (tenant_id, kind, subject_id);
create index approvals_waiting on approvals (tenant_id, permission, opened_at, id) where state = 'waiting';
select protect_tenant_table('approvals');

create table approval_votes (
  tenant_id uuid not null,
  approval_id uuid not null,
  round integer not null,
  voter_id uuid not null,
  voter text not null,
  verdict text not null check (verdict in ('approve', 'deny')),
  comment text not null,
  at timestamptz not null,
  primary key (tenant_id, approval_id, round, voter_id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id) on delete cascade
);
select protect_tenant_table('approval_votes');
