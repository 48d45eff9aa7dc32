-- A row whose deed others must agree to: the request that it became, and what the action says of it. Rows that are simply done are not written again.
alter table bulk_rows add column outcome text, add column request_id uuid;
create index bulk_rows_requested on bulk_rows (tenant_id, run_id, position) where request_id is not null;
alter table bulk_runs add column requested integer not null default 0;
