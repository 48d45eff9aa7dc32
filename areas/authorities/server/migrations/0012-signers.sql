-- Beside holders and authorities, those who sign an authority's OCSP answers have certificates of it.
alter table serials drop constraint serials_about_kind_check;
alter table serials add constraint serials_about_kind_check check (about_kind in ('certificate', 'authority', 'signer'));
