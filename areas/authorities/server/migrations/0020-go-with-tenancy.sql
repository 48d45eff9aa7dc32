-- Nothing of these is deleted while the tenancy stays; with the tenancy all of it goes.
select goes_with_its_tenancy('authorities');
select goes_with_its_tenancy('authority_certificates');
select goes_with_its_tenancy('serials');
select goes_with_its_tenancy('revoked_serials');
