-- Ten words a certificate, and for each the database looked whether its certificate is there, which the same statement has just written: a third of
-- the work of storing a certificate. Certificates are not deleted.
alter table certificate_words drop constraint certificate_words_tenant_id_certificate_id_fkey;
