-- Files that somebody imports: their rows wait here until they are checked and applied.
create table imports (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  file_name text not null,
  encoding text not null,
  delimiter text not null,
  headers text[] not null,
  -- By the name of a column of ours, which column of the file it is read from, counted from 0.
  mapping jsonb not null,
  -- What the person chose for the run; the room knows its shape.
  options jsonb not null,
  status text not null check (status in ('uploaded', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'cancelled')),
  rows integer not null,
  -- How far the present step has come: rows up to this one are done. An undo counts down.
  position integer not null,
  actor_id uuid,
  actor text not null,
  created_at timestamptz not null,
  -- When the last row was applied; an undo is possible for a day.
  ended_at timestamptz,
  primary key (tenant_id, id)
);
create index imports_by_kind on imports (tenant_id, kind, created_at desc, id desc);
create index imports_under_way on imports (tenant_id, kind) where status in ('checking', 'running', 'undoing');
select protect_tenant_table('imports');

create table import_rows (
  tenant_id uuid not null,
  import_id uuid not null,
  position integer not null,
  -- The row's number in the file, the header's being 1.
  number integer not null,
  cells text[] not null,
  state text not null check (state in ('staged', 'good', 'faulty', 'applied', 'failed', 'undone')),
  -- What an apply would do: 'new', 'changed', 'same' or another word of the room.
  effect text not null,
  -- A list of { column, says }.
  faults jsonb not null,
  -- What the room needs to undo the row.
  undo jsonb,
  primary key (tenant_id, import_id, position),
  foreign key (tenant_id, import_id) references imports (tenant_id, id) on delete cascade
);
create index import_rows_with_faults on import_rows (tenant_id, import_id, position) where faults <> '[]';
select protect_tenant_table('import_rows');
