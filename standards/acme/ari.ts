// Renewal information (RFC 9773): the name of a certificate in an address, and when to renew it.

import { parseCertificate, type Certificate } from '../x509/certificate.ts'
import { base64url, readBase64url } from './base64url.ts'

export type AriId = { keyIdentifier: Buffer; serial: Buffer }

/** RFC 9773 4.1: the key identifier of the issuer, a dot, and the serial as it stands in DER. Undefined where the certificate does not say who issued it. */
export function ariIdOf(certificate: Uint8Array | Pick<Certificate, 'extensions' | 'serialContent'>): string | undefined {
  const { extensions, serialContent } = certificate instanceof Uint8Array ? parseCertificate(certificate) : certificate
  const found = extensions.find((extension) => extension.type === 'authorityKeyIdentifier')
  const keyIdentifier = found?.type === 'authorityKeyIdentifier' ? found.keyIdentifier : undefined
  return keyIdentifier === undefined ? undefined : `${base64url(keyIdentifier)}.${base64url(serialContent)}`
}

export function readAriId(text: string): AriId | undefined {
  const [first = '', second = '', ...more] = text.split('.')
  const [keyIdentifier, serial] = [readBase64url(first), readBase64url(second)]
  if (more.length > 0 || keyIdentifier === undefined || serial === undefined) return undefined
  return keyIdentifier.length === 0 || serial.length === 0 || serial.length > 21 ? undefined : { keyIdentifier, serial }
}

/** A serial as lists and lookups write it: hex without the byte of its sign. */
export const serialHexOf = ({ serial }: Pick<AriId, 'serial'>): string =>
  (serial.length > 1 && serial[0] === 0 ? serial.subarray(1) : serial).toString('hex')

export type RenewalWindow = { start: Date; end: Date }

const hour = 3_600_000

/**
 * When to renew. After two thirds of its life, spread over a fifteenth of it, at most two days; `at once` where it was revoked or will be, with a window that
 * is over.
 */
export function renewalWindow({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }, now: Date, atOnce: boolean): RenewalWindow {
  if (atOnce) return { start: new Date(now.getTime() - 2 * hour), end: new Date(now.getTime() - hour) }
  const life = notAfter.getTime() - notBefore.getTime()
  const middle = notAfter.getTime() - life / 3
  const half = Math.min(life / 15, 48 * hour) / 2
  return { start: new Date(middle - half), end: new Date(middle + half) }
}

/** When a client asks again, in seconds: six hours, or sooner for what does not live long. */
export const ariRetrySeconds = ({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }): number =>
  Math.max(60, Math.min(6 * 3600, Math.round((notAfter.getTime() - notBefore.getTime()) / 1000 / 50)))
