-- When the last byte of a file was handed on: one that broke off, or is under way, has none.
alter table print_file_takings add column completed_at timestamptz;
