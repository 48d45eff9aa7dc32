-- An archived key is never deleted while the tenancy stays; with the tenancy it goes.
select goes_with_its_tenancy('archived_keys');
