// The files that a certificate can be downloaded as.

import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { encodePem } from '#standards/pem/pem.ts'

export type FileFormat = 'pem' | 'der' | 'chain' | 'pkcs7' | 'pkcs7Chain'

type MakeFile = { ending: string; mediaType: string; content(leaf: Uint8Array, chain: readonly Uint8Array[]): Uint8Array }

const text = (content: string) => new TextEncoder().encode(content)
const pemOf = (certificates: readonly Uint8Array[]) => text(certificates.map((der) => encodePem('CERTIFICATE', der)).join(''))

const files: Record<FileFormat, MakeFile> = {
  pem: { ending: '.pem', mediaType: 'application/x-pem-file', content: (leaf) => pemOf([leaf]) },
  der: { ending: '.cer', mediaType: 'application/pkix-cert', content: (leaf) => leaf },
  chain: { ending: '-chain.pem', mediaType: 'application/x-pem-file', content: (leaf, chain) => pemOf([leaf, ...chain]) },
  pkcs7: { ending: '.p7b', mediaType: 'application/x-pkcs7-certificates', content: (leaf) => certificatesOnly([leaf]) },
  pkcs7Chain: {
    ending: '-chain.p7b',
    mediaType: 'application/x-pkcs7-certificates',
    content: (leaf, chain) => certificatesOnly([leaf, ...chain]),
  },
}

export function certificateFile(
  format: FileFormat,
  name: string,
  leaf: Uint8Array,
  chain: readonly Uint8Array[],
): { fileName: string; mediaType: string; content: string } {
  const file = files[format]
  return {
    fileName: `${fileName(name)}${file.ending}`,
    mediaType: file.mediaType,
    content: Buffer.from(file.content(leaf, chain)).toString('base64'),
  }
}

/** A name that every file system takes. */
export const fileName = (name: string): string =>
  name
    .replace(/^\*\./, 'wildcard.')
    .replace(/[^\p{L}\p{N}._@-]+/gu, '_')
    .replace(/^[._]+/, '')
    .slice(0, 80) || 'certificate'
