-- Which challenge of Intune a transaction used: Intune itself may take one again, so it is used once here, by what is not refused.
alter table enrolment_transactions add column challenge_hash text;
create unique index enrolment_transactions_by_challenge on enrolment_transactions (tenant_id, profile_id, challenge_hash)
  where challenge_hash is not null and state <> 'refused';
