-- Which room said it: each replaces its own alone.
alter table program_keys add column maker text not null default 'applications';
