// Where relying parties fetch what stands behind an authority's certificates. The addresses stand in what is issued, so they never change. Lists
// and answers are given by a room above, which is why its paths are written here.

export const publicPaths = {
  certificate: '/pki/ca/:publicId.crt',
  chain: '/pki/ca/:publicId.pem',
  /** RFC 5280 4.2.2.1: a certs-only CMS message. */
  pkcs7: '/pki/ca/:publicId.p7c',
  list: '/pki/crl/:publicId.crl',
  partOfList: '/pki/crl/:publicId/:part.crl',
  ocsp: '/pki/ocsp/:publicId',
} as const
