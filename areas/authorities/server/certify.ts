// A further certificate of an authority: renewed, linked to its successor, or given by another one. As with all else it is recorded before it
// is signed: serial, bytes, row and event in one commit; then the signature; then the certificate in a second commit. What an interruption left
// unsigned is finished by the job, the same bytes under the same serial.

import { KeyUnavailable } from '#areas/keys/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { lintCertificate, refuses } from '#standards/lint/lint.ts'
import { buildTbsCertificate, fingerprint, parseCertificate, parseTbsCertificate } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { formatName } from '#standards/x509/names.ts'
import { bestCertificate, type CertificateRole } from '../succession.ts'
import {
  certificatesOf,
  completeHeldCertificate,
  findHeldCertificate,
  insertHeldCertificate,
  type HeldCertificateRow,
} from './certificate-store.ts'
import { askerMay, signerOf, type AuthorityWork, type Finisher } from './create.ts'
import { findIssuing } from './issuer-store.ts'
import { addressesOf, insertReservation, newSerial, ownExtensions, signReserved, storeSigned } from './issuing.ts'
import { certifiesOthers } from './policy.ts'
import { findSerial, voidReserved } from './serial-store.ts'
import { changeAuthority, findAuthority, lockAuthority, rechainBelow, revokedAuthorities, type AuthorityRow } from './store.ts'

/** What a certificate says besides the four that its issuer adds. */
export const carriedBy = (certificate: { extensions: readonly Extension[] }): Extension[] =>
  certificate.extensions.filter(({ type }) => !ownExtensions.has(type))

export type FurtherDraft = {
  subject: Uint8Array
  publicKey: Uint8Array
  /** As the authority that is certified writes it into what it signs: a path is found by it. */
  subjectKeyIdentifier: Uint8Array
  notBefore: Date
  notAfter: Date
  extensions: readonly Extension[]
}

type IssuingRow = Pick<
  AuthorityRow,
  'tenant_id' | 'id' | 'subject' | 'subject_text' | 'key_identifier' | 'signature_algorithm' | 'crl_url' | 'ocsp_url' | 'ca_issuers_url'
>

/** The bytes by which an authority certifies another one, whose key identifier is kept. It names the whole list. */
export const furtherTbs = (
  issuer: IssuingRow,
  { subjectKeyIdentifier, extensions, ...draft }: FurtherDraft,
  serialNumber: Uint8Array,
): Uint8Array =>
  buildTbsCertificate({
    ...draft,
    serialNumber,
    signatureAlgorithm: issuer.signature_algorithm,
    issuer: issuer.subject,
    extensions: [
      ...extensions,
      { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: subjectKeyIdentifier },
      { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: issuer.key_identifier },
      ...addressesOf({ addresses: { crl: issuer.crl_url, ocsp: issuer.ocsp_url, caIssuers: issuer.ca_issuers_url } }, 0),
    ],
  })

export type Further = {
  issuer: IssuingRow
  /** Whose it is; undefined for an outside authority. */
  caId: string | undefined
  role: CertificateRole
  /** The bytes under this serial. */
  tbs(serial: Uint8Array): Uint8Array
  requestKey?: string
  /** The account that asked for it. */
  askedBy?: string | undefined
  now: Date
  /** The field to blame where the bytes do not pass the lint. */
  field: string
}

/** Reserves it in the open transaction, with its event. Throws a Fault where the lint forbids it. Returns its id. */
export async function reserveFurther(
  { db, emit }: AuthorityWork,
  { issuer, caId, role, tbs, requestKey, askedBy, now, field }: Further,
): Promise<string> {
  const serial = newSerial()
  const bytes = tbs(serial)
  const findings = lintCertificate(bytes, { profile: 'ca' })
  if (refuses(findings))
    throw invalidField(field, findings.flatMap(({ severity, message }) => (severity === 'warn' ? [] : [message])).join(' '))
  const said = parseTbsCertificate(bytes)
  const { notBefore, notAfter } = said
  const id = timeOrderedId(now)
  // A main one is about its authority, whose revocation is its own; any other only about itself.
  const about = role === 'main' && caId !== undefined ? ({ kind: 'authority', id: caId } as const) : ({ kind: 'cross', id } as const)
  const { serialHex } = await insertReservation(db, issuer, { serial, tbs: bytes, about, notAfter }, now)
  await insertHeldCertificate(db, {
    tenant_id: issuer.tenant_id,
    id,
    ca_id: caId ?? null,
    role,
    issuer_id: issuer.id,
    serial,
    subject_text: formatName(said.subject),
    issuer_text: issuer.subject_text,
    not_before: notBefore,
    not_after: notAfter,
    certificate: null,
    issuer_chain: [],
    request_key: requestKey ?? null,
    made_at: now,
    certified_at: null,
    revoked_elsewhere_at: null,
    revoked_elsewhere_reason: null,
    requested_by: askedBy ?? null,
  })
  emit(
    'furtherReserved',
    { certificateId: id, caId, role, issuerId: issuer.id, subject: formatName(said.subject), serialHex },
    caId ?? issuer.id,
  )
  return id
}

/** Signs what is reserved and not yet signed. Does nothing where that is done or given up. Throws KeyUnavailable. Not inside a transaction. */
async function finishFurther(house: House, maker: Finisher, id: string): Promise<void> {
  const { tenantId, transact } = maker
  const found = await inTenant(house.database, tenantId, async (db) => {
    const held = await findHeldCertificate(db, tenantId, id)
    if (held?.certificate !== null || held.issuer_id === null) return undefined
    const issuer = await findAuthority(db, tenantId, held.issuer_id)
    const serial = await findSerial(db, tenantId, held.issuer_id, held.serial)
    return issuer === undefined || serial?.tbs == null
      ? undefined
      : { held, issuer, tbs: serial.tbs, forfeited: await isForfeited(db, held, issuer.id) }
  })
  if (found === undefined) return
  const { held, issuer, tbs, forfeited } = found
  const { ca_id: caId, role } = held
  const serialHex = held.serial.toString('hex')
  const certificate = forfeited
    ? undefined
    : await signReserved(house, signerOf(issuer), { serialHex, tbs }).catch(async (error: unknown) => {
        // Another request or the recovery has stored the signature in the meantime, or it was given up.
        const current = await inTenant(house.database, tenantId, (db) => findHeldCertificate(db, tenantId, id))
        if (current?.certificate === null) throw error
        return undefined
      })
  if (certificate === undefined && !forfeited) return
  await transact(async ({ db, emit }) => {
    const now = house.now()
    const about = { certificateId: id, caId: caId ?? undefined, role, issuerId: issuer.id, serialHex }
    if (caId !== null) await lockAuthority(db, tenantId, caId)
    // A slow key leaves time for that, too, and to disable who asked; and so does a token that is away.
    if ((await isForfeited(db, held, issuer.id)) || !(await askerMay(db, maker, held.requested_by))) {
      if ((await voidReserved(db, tenantId, issuer.id, [held.serial])).length > 0) emit('furtherVoided', about, caId ?? issuer.id)
      return
    }
    if (certificate === undefined || !(await storeSigned(db, { tenantId, caId: issuer.id }, serialHex, certificate, now))) return
    await completeHeldCertificate(db, tenantId, id, Buffer.from(certificate), now)
    if (caId !== null && role === 'main') await putForward(db, tenantId, caId)
    emit('furtherCertified', { ...about, sha256: fingerprint(parseCertificate(certificate)) }, caId ?? issuer.id)
  })
}

/** What is revoked is certified no more, and nobody is certified by an authority that was stopped since. What a key says of itself, or of the one that it follows, needs no leave. */
async function isForfeited(
  db: Database,
  { tenant_id: tenantId, ca_id: caId, role }: HeldCertificateRow,
  issuerId: string,
): Promise<boolean> {
  if (caId !== null && (await revokedAuthorities(db, tenantId)).has(caId)) return true
  if (role === 'link' || issuerId === caId) return false
  return !certifiesOthers(await findIssuing(db, tenantId, issuerId))
}

/** The same for several; where a key is out of reach, recovery signs when it is back. Returns those that were given up. */
export async function finishAllFurther(house: House, maker: Finisher, ids: readonly string[]): Promise<string[]> {
  const givenUp: string[] = []
  for (const id of ids) {
    await finishFurther(house, maker, id).catch((error: unknown) => {
      if (!(error instanceof KeyUnavailable)) throw error
      house.log.warn({ certificate: id, reason: error.reason }, 'a certificate of an authority waits for a key that is unavailable')
    })
    if ((await inTenant(house.database, maker.tenantId, (db) => findHeldCertificate(db, maker.tenantId, id))) === undefined)
      givenUp.push(id)
  }
  return givenUp
}

/** Nothing that is on record for this authority is signed any more; the caller holds its row locked. Returns the serials that are void. */
export async function voidUnsigned(db: Database, tenantId: string, caId: string): Promise<string[]> {
  const unsigned = (await certificatesOf(db, tenantId, caId)).filter(({ certificate }) => certificate === null)
  const serials: string[] = []
  for (const { issuer_id: issuerId, serial } of unsigned) {
    if (issuerId !== null) serials.push(...(await voidReserved(db, tenantId, issuerId, [serial])).map((one) => one.toString('hex')))
  }
  return serials
}

/** The best of its certificates becomes the one that the authority gives out, in the chains of those below it, too. */
async function putForward(db: Database, tenantId: string, caId: string): Promise<void> {
  const signed = (await certificatesOf(db, tenantId, caId)).filter(({ certificate, role }) => certificate !== null && role === 'main')
  const best = bestCertificate(
    signed.map((row) => ({ row, role: row.role, notBefore: row.not_before, notAfter: row.not_after, revoked: row.revoked_at !== null })),
  )?.row
  if (best?.certificate == null) return
  const above = await chainAbove(db, best)
  await changeAuthority(db, tenantId, caId, {
    certificate: best.certificate,
    issuer_chain: above,
    path_length: findExtension(parseCertificate(best.certificate).extensions, 'basicConstraints')?.pathLenConstraint ?? null,
    // Its life began with the first.
    not_before: new Date(Math.min(...signed.map(({ not_before: notBefore }) => notBefore.getTime()))),
    not_after: best.not_after,
  })
  await rechainBelow(db, tenantId, caId, [best.certificate, ...above])
}

/** From the issuer up, as it is now. DER. */
export async function chainAbove(
  db: Database,
  row: Pick<HeldCertificateRow, 'tenant_id' | 'ca_id' | 'issuer_id' | 'issuer_chain'>,
): Promise<Buffer[]> {
  if (row.issuer_id === null) return row.issuer_chain
  if (row.issuer_id === row.ca_id) return []
  const issuer = await findAuthority(db, row.tenant_id, row.issuer_id)
  return issuer?.certificate == null ? [] : [issuer.certificate, ...issuer.issuer_chain]
}

/** Beside the chain that is given out: the authority's other certificates that hold, each with what of its chain is not there yet. DER. */
export async function otherCertificates(db: Database, row: AuthorityRow, now: Date): Promise<Buffer[]> {
  const seen = new Set([row.certificate, ...row.issuer_chain].map((der) => der?.toString('base64')))
  const others: Buffer[] = []
  for (const held of await certificatesOf(db, row.tenant_id, row.id)) {
    if (held.certificate === null || held.revoked_at !== null || held.not_after < now) continue
    for (const der of [held.certificate, ...(await chainAbove(db, held))]) {
      const key = der.toString('base64')
      if (!seen.has(key)) others.push(der)
      seen.add(key)
    }
  }
  return others
}
