// The files that a certificate can be downloaded as.

import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { buildPkcs12TrustStore } from '#standards/pkcs12/trust-store.ts'
import { certificateFormats, trustStorePassword, type CertificateFormat } from '../../file-formats.ts'
import type { Chain } from './issuer-chain.ts'

type MakeFile = { mediaType: string; content(leaf: Uint8Array, chain: Chain): Uint8Array | undefined | Promise<Uint8Array> }

const text = (content: string) => new TextEncoder().encode(content)
const pemOf = (certificates: readonly Uint8Array[]) => text(certificates.map((der) => encodePem('CERTIFICATE', der)).join(''))
const pem = 'application/x-pem-file'
const pkcs7 = 'application/x-pkcs7-certificates'

const files: Record<CertificateFormat, MakeFile> = {
  // A server leaves the root out (RFC 8446 4.4.2): whoever trusts it has it. One that is its own root has nothing else to send.
  server: { mediaType: pem, content: (leaf, { intermediates }) => pemOf([leaf, ...intermediates]) },
  clients: { mediaType: pem, content: (_leaf, { root }) => root && pemOf([root]) },
  chain: { mediaType: pem, content: (leaf, { above }) => pemOf([leaf, ...above]) },
  pem: { mediaType: pem, content: (leaf) => pemOf([leaf]) },
  der: { mediaType: 'application/pkix-cert', content: (leaf) => leaf },
  pkcs7: { mediaType: pkcs7, content: (leaf) => certificatesOnly([leaf]) },
  pkcs7Chain: { mediaType: pkcs7, content: (leaf, { above }) => certificatesOnly([leaf, ...above]) },
  pkcs12: {
    mediaType: 'application/x-pkcs12',
    content: (leaf, { above, root }) =>
      buildPkcs12TrustStore({ certificates: [leaf, ...above], trusted: root === undefined ? [] : [root], password: trustStorePassword }),
  },
}

export type CertificateFile = { fileName: string; mediaType: string; content: Uint8Array }

/** Undefined for the root of a chain that reaches none here. */
export async function certificateFile(
  format: CertificateFormat,
  name: string,
  leaf: Uint8Array,
  chain: Chain,
): Promise<CertificateFile | undefined> {
  const { mediaType, content } = files[format]
  const made = await content(leaf, chain)
  return made && { fileName: `${fileName(name)}${certificateFormats[format].ending}`, mediaType, content: made }
}

/** A name that every file system takes. */
export const fileName = (name: string): string =>
  name
    .replace(/^\*\./, 'wildcard.')
    .replace(/[^\p{L}\p{N}._@-]+/gu, '_')
    .replace(/^[._]+/, '')
    .slice(0, 80) || 'certificate'
