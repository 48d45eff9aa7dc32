-- Recovery codes that were offered with a new secret: good once a code of that secret is given. Until then the ones before them stay.

alter table recovery_codes add column offered boolean not null default false;
