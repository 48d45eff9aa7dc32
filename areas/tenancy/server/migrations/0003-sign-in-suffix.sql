-- What a sign-in name made of a name from elsewhere ends with: `ada@acme-k3f9`. Random in part, so that it says of no tenancy whether it exists.
alter table tenancies add column sign_in_suffix text;
update tenancies set sign_in_suffix =
  coalesce(nullif(trim(both '-' from left(regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'), 16)), ''), 'tenancy') || '-' || substr(md5(random()::text || id::text), 1, 6);
alter table tenancies alter column sign_in_suffix set not null;
create unique index tenancies_by_sign_in_suffix on tenancies (sign_in_suffix);
