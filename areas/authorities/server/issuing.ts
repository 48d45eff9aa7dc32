// How anything is signed as a certificate, one by one: reserve (a serial, the exact bytes to be signed and the caller's event, in one
// commit), sign those bytes, store. After a crash between the steps the same bytes are signed again, never a new serial, so that there
// is no signature without a record and no record that could mean two certificates. (batches.ts is the other way.)

import { createHash, randomBytes } from 'node:crypto'
import { signWithKey } from '#areas/keys/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { assembleSigned, readSigned } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import type { Name } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { compileCertificate, type CertificateTemplate, type OpenExtension } from '#standards/x509/template.ts'
import { crlAddressOf, crlShardOf, refusalToIssue, type Issuer } from './issuers.ts'
import { findSerials, insertSerials, reservedAbout, signSerials, voidSerials } from './serial-store.ts'
import type { AuthorityRow } from './store.ts'

/** `signer`: who signs the authority's OCSP answers. `cross`: a certificate of an authority beside those of its own issuer. */
export type About = { kind: 'certificate' | 'authority' | 'signer' | 'cross'; id: string }

export type CertificateDraft = {
  subject: Name | Uint8Array
  notBefore: Date
  notAfter: Date
  /** A SubjectPublicKeyInfo, or what parsePublicKey made of one. */
  publicKey: Uint8Array | PublicKeyInfo
  /** What the certificate says besides the four that every authority adds: key identifiers and addresses. */
  extensions: readonly Extension[]
  /** It names no CRL, OCSP responder or issuer's address: whoever meets it has the issuer, and asks nobody (RFC 6960 4.2.2.2.1). */
  unaddressed?: boolean
  about: About
}

export type Reserved = { serialHex: string; tbs: Uint8Array }
export type Reservation = Reserved & { caId: string; about: About; reservedAt: Date }

/** A serial of 128 random bits without a zero byte in front, so that its hex is the same 32 digits everywhere. DER adds a sign byte where the top bit is set. */
export function newSerial(): Buffer {
  for (;;) {
    const serial = randomBytes(16)
    if (serial[0] !== 0) return serial
  }
}

/** What every authority says itself, whatever it is asked to carry. */
export const ownExtensions: ReadonlySet<Extension['type']> = new Set<Extension['type']>([
  'subjectKeyIdentifier',
  'authorityKeyIdentifier',
  'cRLDistributionPoints',
  'authorityInfoAccess',
])

const uri = (value: string) => ({ type: 'uniformResourceIdentifier' as const, value })

/** The bytes to be signed for `draft`, as this authority would issue it. */
export function tbsOf(issuer: Issuer, draft: Omit<CertificateDraft, 'about'>, serial: Uint8Array): Uint8Array {
  const { subject, notBefore, notAfter, publicKey } = draft
  const isNameless = subject instanceof Uint8Array ? subject.length === 2 : subject.length === 0
  const carried = draft.extensions.filter(({ type }) => !ownExtensions.has(type))
  // Alternative names are each certificate's own; the rest is much the same for all of a template.
  const names = carried.find((extension) => extension.type === 'subjectAltName' && extension.critical === isNameless)
  const places = carried.map((extension) => (extension === names ? ('subjectAltName' as const) : extension))
  const template = templateOf(issuer, places, draft.unaddressed === true ? 'unaddressed' : crlShardOf(issuer, serial))
  return template({
    serialNumber: serial,
    notBefore,
    notAfter,
    subject,
    publicKey,
    subjectAltNames: names?.type === 'subjectAltName' ? names.names : undefined,
  })
}

/** Compiled once for an authority, its part of the list and these extensions, for as long as the authority is held in memory. */
function templateOf(issuer: Issuer, places: readonly (Extension | OpenExtension)[], crlShard: number | 'unaddressed'): CertificateTemplate {
  const known = templates.get(issuer) ?? new Map<string, CertificateTemplate>()
  templates.set(issuer, known)
  const key = `${crlShard} ${JSON.stringify(places)}`
  const found = known.get(key)
  if (found !== undefined) return found
  const template = compileCertificate({
    signatureAlgorithm: issuer.signatureAlgorithm,
    issuer: issuer.subjectEncoded,
    extensions: [
      ...places,
      'subjectKeyIdentifier',
      { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: issuer.keyIdentifier },
      ...(crlShard === 'unaddressed' ? [] : addressesOf(issuer, crlShard)),
    ],
  })
  if (known.size < mostTemplates) known.set(key, template)
  return template
}
/** Where what the authority signs says to ask about it. */
export const addressesOf = (issuer: Pick<Issuer, 'addresses'>, crlShard: number): Extension[] => [
  { type: 'cRLDistributionPoints', critical: false, distributionPoints: [{ fullName: [uri(crlAddressOf(issuer, crlShard))] }] },
  {
    type: 'authorityInfoAccess',
    critical: false,
    descriptions: [
      { accessMethod: OIDS.ocsp, accessLocation: uri(issuer.addresses.ocsp) },
      { accessMethod: OIDS.caIssuers, accessLocation: uri(issuer.addresses.caIssuers) },
    ],
  },
]
const templates = new WeakMap<Issuer, Map<string, CertificateTemplate>>()
const mostTemplates = 1_000

/**
 * Reserves a serial with the bytes to be signed, in the open transaction. Throws a Fault where the authority may not issue this now.
 * The transaction's tenant is the authority's.
 */
export async function reserve(db: Database, issuer: Issuer, draft: CertificateDraft, now: Date): Promise<Reserved> {
  const [reserved] = await reserveAll(db, issuer, [{ draft, now }])
  if (reserved === undefined) throw new Error('A reservation was not made')
  return reserved
}

/** The same for many, each at its time, in their order. Where one is refused none is reserved. */
export async function reserveAll(
  db: Database,
  issuer: Issuer,
  all: readonly { draft: CertificateDraft; now: Date }[],
): Promise<Reserved[]> {
  const due = all.map(({ draft, now }): NewReservation => {
    const refusal = refusalToIssue(issuer, draft, now)
    if (refusal !== undefined) throw commonFault('invalid', { fields: [refusal] })
    const serial = newSerial()
    return {
      serial,
      tbs: tbsOf(issuer, draft, serial),
      about: draft.about,
      notAfter: draft.notAfter,
      crlShard: draft.unaddressed === true ? 0 : crlShardOf(issuer, serial),
      now,
    }
  })
  await insertReservations(db, { tenant_id: issuer.tenantId, id: issuer.caId, signature_algorithm: issuer.signatureAlgorithm }, due)
  return due.map(reservedOf)
}

type Authority = Pick<AuthorityRow, 'tenant_id' | 'id' | 'signature_algorithm'>
type NewReservation = { serial: Buffer; tbs: Uint8Array; about: About; notAfter: Date; crlShard: number; now: Date }

const reservedOf = ({ serial, tbs }: Pick<NewReservation, 'serial' | 'tbs'>): Reserved => ({ serialHex: serial.toString('hex'), tbs })

export async function insertReservation(
  db: Database,
  authority: Authority,
  reservation: Omit<NewReservation, 'now' | 'crlShard'>,
  now: Date,
): Promise<Reserved> {
  // What signs itself names no list.
  await insertReservations(db, authority, [{ ...reservation, crlShard: 0, now }])
  return reservedOf(reservation)
}

const insertReservations = (db: Database, authority: Authority, all: readonly NewReservation[]): Promise<void> =>
  insertSerials(
    db,
    all.map(({ serial, tbs, about, notAfter, crlShard, now }) => ({
      tenant_id: authority.tenant_id,
      ca_id: authority.id,
      serial,
      state: 'reserved',
      tbs: Buffer.from(tbs),
      signature_algorithm: authority.signature_algorithm,
      about_kind: about.kind,
      about_id: about.id,
      certificate_hash: null,
      not_after: notAfter,
      crl_shard: crlShard,
      reserved_at: now,
      signed_at: null,
      revoked_at: null,
      revocation_reason: null,
      invalidity_date: null,
    })),
  )

type Signer = Pick<Issuer, 'tenantId' | 'caId' | 'keyId'>

/**
 * Signs what was reserved. Not inside a transaction: another connection must see the reservation, so that a signature made before
 * the commit is refused here, not only by custom.
 */
export async function signReserved(house: House, issuer: Signer, reserved: Reserved): Promise<Uint8Array> {
  const [certificate] = await signAllReserved(house, issuer, [reserved])
  if (certificate === undefined) throw new Error(`The serial ${reserved.serialHex} was not signed`)
  return certificate
}

/** The same for many of one authority, in their order. Where one has no reservation none is signed. */
export async function signAllReserved(house: House, { tenantId, caId, keyId }: Signer, all: readonly Reserved[]): Promise<Uint8Array[]> {
  const serials = all.map(({ serialHex }) => Buffer.from(serialHex, 'hex'))
  const rows = new Map(
    (await inTenant(house.database, tenantId, (db) => findSerials(db, tenantId, caId, serials))).map((row) => [
      row.serial.toString('hex'),
      row,
    ]),
  )
  const due = all.map(({ serialHex, tbs }) => {
    const row = rows.get(serialHex)
    if (row?.tbs == null || Buffer.compare(row.tbs, tbs) !== 0)
      throw new Error(`The serial ${serialHex} has no committed reservation with these bytes: nothing was signed`)
    return { data: row.tbs, algorithm: row.signature_algorithm }
  })
  return Promise.all(
    due.map(async ({ data, algorithm }) => assembleSigned(data, algorithm, await signWithKey(house, { tenantId, keyId, algorithm, data }))),
  )
}

/**
 * Records the signed certificate. False where this reservation already has one: an ECDSA signature differs each time, so of two that
 * sign the same bytes (a recovery beside a slow request) only the first counts, and the second reads what was stored.
 */
export const storeSigned = async (
  db: Database,
  issuer: Pick<Issuer, 'tenantId' | 'caId'>,
  serialHex: string,
  certificate: Uint8Array,
  now: Date,
): Promise<boolean> => (await storeAllSigned(db, issuer, [{ serialHex, certificate, now }])).has(serialHex)

/** The same for many. Returns the serials that this call has stored. */
export async function storeAllSigned(
  db: Database,
  { tenantId, caId }: Pick<Issuer, 'tenantId' | 'caId'>,
  all: readonly { serialHex: string; certificate: Uint8Array; now: Date }[],
): Promise<Set<string>> {
  const signed = all.map(({ serialHex, certificate, now }) => ({
    serial: Buffer.from(serialHex, 'hex'),
    tbs: Buffer.from(readSigned(certificate, 'tbsCertificate').toBeSigned.encoded),
    certificateHash: createHash('sha256').update(certificate).digest(),
    signedAt: now,
  }))
  return new Set((await signSerials(db, tenantId, caId, signed)).map((serial) => serial.toString('hex')))
}

/** The reservation of one subject, while it is unsigned. */
export async function reservationAbout(db: Database, tenantId: string, aboutId: string): Promise<Reservation | undefined> {
  const row = await reservedAbout(db, tenantId, aboutId)
  return row === undefined || row.tbs === null
    ? undefined
    : {
        caId: row.ca_id,
        serialHex: row.serial.toString('hex'),
        tbs: row.tbs,
        about: { kind: row.about_kind, id: row.about_id },
        reservedAt: row.reserved_at,
      }
}

/**
 * Gives up the reservation of one subject: it is never signed, and its serial is never used. Returns the serials given up. The caller holds
 * the subject's row locked, so that nobody signs it meanwhile and stores the signature.
 */
export const voidReservation = async (db: Database, tenantId: string, aboutId: string): Promise<string[]> =>
  (await voidSerials(db, tenantId, aboutId)).map((serial) => serial.toString('hex'))
