// The certificate and the chain of an authority as files.

import type { OutputOf } from '#core/contract/contract.ts'
import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { encodePem } from '#standards/pem/pem.ts'
import type { authorities, downloadFormats } from '../contract.ts'

export type DownloadFormat = (typeof downloadFormats)[number]

type Form = { suffix: string; mediaType: string; encode(chain: readonly [Uint8Array, ...Uint8Array[]]): Uint8Array }

const pem = (certificates: readonly Uint8Array[]) => Buffer.from(certificates.map((der) => encodePem('CERTIFICATE', der)).join(''))

/** `chain` has the own certificate first. */
export const forms: Record<DownloadFormat, Form> = {
  pem: { suffix: '.pem', mediaType: 'application/x-pem-file', encode: ([own]) => pem([own]) },
  der: { suffix: '.crt', mediaType: 'application/pkix-cert', encode: ([own]) => own },
  chain: { suffix: '-chain.pem', mediaType: 'application/x-pem-file', encode: pem },
  all: { suffix: '-all.pem', mediaType: 'application/x-pem-file', encode: pem },
  pkcs7: { suffix: '.p7b', mediaType: 'application/x-pkcs7-certificates', encode: ([own]) => certificatesOnly([own]) },
  'pkcs7-chain': { suffix: '-chain.p7b', mediaType: 'application/x-pkcs7-certificates', encode: certificatesOnly },
}

export function fileOf(
  friendlyName: string,
  [own, ...above]: readonly Uint8Array[],
  format: DownloadFormat,
): OutputOf<typeof authorities.calls.download> | undefined {
  if (own === undefined) return undefined
  const { suffix, mediaType, encode } = forms[format]
  const name =
    friendlyName
      .normalize('NFKD')
      .replaceAll(/[^\w.-]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
      .slice(0, 60) || 'authority'
  return { fileName: `${name}${suffix}`, mediaType, content: Buffer.from(encode([own, ...above])).toString('base64') }
}
