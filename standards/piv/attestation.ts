// What a card says of a key in a slot: that it was made on the card, and by which rules it is used. The statement is a certificate for the key, signed by a key
// that the maker put on the card; Yubico invented the form, and others took it over.

import { decodePem } from '../pem/pem.ts'
import { verifyCertificate } from '../verify/verify.ts'
import { parseCertificate, type Certificate } from '../x509/certificate.ts'
import { attributeValues } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { INS } from './apdu.ts'
import { readObject, type PivCard } from './client.ts'
import type { Slot } from './identifiers.ts'
import { parseCertificate as parseObject } from './objects.ts'
import { STATUS } from './status.ts'
import { TlvError } from './tlv.ts'
import { yubicoIntermediates, yubicoRoots } from './yubico-roots.ts'

/** The object with the certificate of the key that signs statements. */
export const attestationObject = 0x5fff01

const base = '1.3.6.1.4.1.41482.3'
export const statementExtensions = { firmware: `${base}.3`, serial: `${base}.7`, policy: `${base}.8` } as const
export const statementName = (reference: number): string => `YubiKey PIV Attestation ${reference.toString(16)}`

export type Statement = { statement: Uint8Array; device: Uint8Array }

/** Asks for the statement about the key in a slot; undefined where the card gives none, because it cannot or because the key was brought to it. */
export async function attestKey(card: PivCard, { reference }: Pick<Slot, 'reference'>): Promise<Statement | undefined> {
  const { data, sw } = await card.ask({ ins: INS.attest, p1: reference, p2: 0, le: 0 })
  if (sw !== STATUS.ok) return undefined
  const object = await readObject(card, attestationObject)
  try {
    return object === undefined ? undefined : { statement: data, device: parseObject(object) }
  } catch (error) {
    if (error instanceof TlvError) return undefined
    throw error
  }
}

export type AttestationQuestion = {
  given: Statement
  /** What the key that was made is, as SubjectPublicKeyInfo. */
  spki: Uint8Array
  slot: Pick<Slot, 'reference'>
  /** What the card itself tells; undefined where it tells no number. */
  serial: string | undefined
  roots: readonly Certificate[]
  intermediates: readonly Certificate[]
  at: Date
}
export type AttestationVerdict =
  | { attested: true; root: string; firmware: string; pin: string; touch: string }
  | { attested: false; reason: string }

const pinRules: readonly string[] = ['', 'never', 'once', 'always', 'match once', 'match always']
const touchRules: readonly string[] = ['', 'never', 'always', 'cached']
const no = (reason: string): AttestationVerdict => ({ attested: false, reason })

/** Decides whether a key was made on this card: by the chain to a root, the key itself, the slot and the serial number. */
export function judgeAttestation({ given, spki, slot, serial, roots, intermediates, at }: AttestationQuestion): AttestationVerdict {
  const statement = read(given.statement)
  const device = read(given.device)
  if (statement === undefined || device === undefined) return no('the statement cannot be read')
  if (Buffer.compare(statement.publicKey.spki, spki) !== 0) return no('the statement is about another key')
  if (commonName(statement) !== statementName(slot.reference)) return no('the statement is about another slot')
  const stated = numberIn(extension(statement, statementExtensions.serial))
  if (serial === undefined || stated === undefined || stated !== serial) return no('the statement is about another card')
  const { verdict, path } = verifyCertificate({ leaf: statement, intermediates: [device, ...intermediates], roots, at })
  // The statement is to come from the key of the device, not from an authority above it.
  if (verdict !== 'valid' || path === undefined) return no('the statement leads to no root that is trusted')
  if (path.certificates[1]?.encoded === undefined || Buffer.compare(path.certificates[1].encoded, device.encoded) !== 0)
    return no('the statement is not signed by the card')
  const root = path.certificates.at(-1)
  const firmware = extension(statement, statementExtensions.firmware)
  const [pin = 0, touch = 0] = extension(statement, statementExtensions.policy) ?? []
  return {
    attested: true,
    root: root === undefined ? '' : commonName(root),
    firmware: firmware?.length === 3 ? firmware.join('.') : '',
    pin: pinRules[pin] ?? '',
    touch: touchRules[touch] ?? '',
  }
}

function read(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der)
  } catch {
    return undefined
  }
}

/** Throws PemError, DerError or X509Error. */
export const certificatesIn = (pem: string): Certificate[] => decodePem(pem, 'CERTIFICATE').map(({ bytes }) => parseCertificate(bytes))

const extension = ({ extensions }: Certificate, oid: string): Uint8Array | undefined => {
  const found = extensions.find((one) => one.type === 'unknown' && one.oid === oid)
  return found?.type === 'unknown' ? found.value : undefined
}

/** A DER integer of a serial number. */
function numberIn(value: Uint8Array | undefined): string | undefined {
  if (value === undefined || value[0] !== 2 || value[1] !== value.length - 2 || value.length > 10) return undefined
  return String(BigInt(`0x${Buffer.from(value.subarray(2)).toString('hex')}`))
}

const commonName = ({ subject }: Certificate): string => attributeValues(subject, OIDS.commonName)[0] ?? ''

let shipped: { roots: Certificate[]; intermediates: Certificate[] } | undefined
/** Yubico's, read once. */
export const shippedAttestation = (): { roots: Certificate[]; intermediates: Certificate[] } =>
  (shipped ??= { roots: certificatesIn(yubicoRoots), intermediates: certificatesIn(yubicoIntermediates) })
