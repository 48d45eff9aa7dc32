// Whether a text means an authority: a part of its name, its subject in whichever way a tool wrote it, its serial number or a fingerprint.

import { hash } from 'node:crypto'
import { joinedDigits } from '#core/server/search-terms.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { readPastedName } from '#standards/x509/pasted-name.ts'

type Sought = { friendlyName: string; subject: string; certificate: Uint8Array | undefined }

/** Shorter ones are parts of names. */
const fewestDigits = 8

/** Made once for the text, then asked of each. */
export function isMeantBy(text: string): (authority: Sought) => boolean {
  const sought = text.trim().toLowerCase()
  const attributes = attributesOf(text)
  const digits = joinedDigits(text).toLowerCase().replaceAll(':', '')
  const isNumber = digits.length >= fewestDigits && /^[0-9a-f]+$/.test(digits)
  return ({ friendlyName, subject, certificate }) =>
    friendlyName.toLowerCase().includes(sought) ||
    subject.toLowerCase().includes(sought) ||
    (attributes.length > 0 && isPartOf(attributes, attributesOf(subject))) ||
    (isNumber &&
      certificate !== undefined &&
      [parseCertificate(certificate).serialHex, hash('sha256', certificate), hash('sha1', certificate)].some((number) =>
        number.startsWith(digits),
      ))
}

const attributesOf = (text: string): string[] =>
  readPastedName(text).attributes.map(({ keyword, value }) => `${keyword}=${value}`.toLowerCase())
const isPartOf = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((one) => all.some((other) => other.startsWith(one)))
