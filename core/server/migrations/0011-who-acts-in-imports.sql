-- An import acts with the rights of whoever checks, runs or undoes it, who need not be who chose the file. What was under way before has nobody's, and stops.
alter table imports add column acting_id uuid;
alter table imports add column acting text not null default '';
-- What they held when they began the step: they do no more than that, and no more than they hold now.
alter table imports add column acting_granted jsonb;
-- Why it does not go on, where nobody stopped it.
alter table imports add column stopped text not null default '';
