-- Whether a certificate of a chain is revoked is asked whenever its authority is read to issue with it. A hash, because a certificate may be too long for a tree.
create index authority_certificates_by_content on authority_certificates using hash (certificate);
