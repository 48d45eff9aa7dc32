-- The certificates that authorities give one another besides have ends of their own.
alter table health_checks drop constraint health_checks_kind_check;
alter table health_checks add constraint health_checks_kind_check check (kind in ('lists', 'served', 'ocsp', 'signer', 'key', 'life', 'cross'));
