// Making an authority: the key outside any transaction; then one commit with the key, the row, the reservation and the record; then the
// signature; then a second commit with the certificate. A repeat of the same request finds the row of the first and takes up where it stopped,
// and so does recovery after a crash: both end in `finishAuthority`.

import { createHash } from 'node:crypto'
import { makeKey, type NewKey } from '#areas/keys/places.ts'
import { findPublicKey, KeyUnavailable, signatureAlgorithmFor, signWithKey } from '#areas/keys/service.ts'
import { mayStill } from '#areas/sessions/rights.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import { rightsHere } from '#areas/users/rights.ts'
import { passesDoor } from '#core/contract/access.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { commonFault, faultOfConstraint, invalidField } from '#core/server/fault.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { assembleSigned, buildTbsCertificate, fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { formatName } from '#standards/x509/names.ts'
import { keyIdentifier } from '#standards/x509/public-key.ts'
import { authorities } from '../contract.ts'
import type { CertificateRole } from '../succession.ts'
import { addressesAt } from './addresses.ts'
import { certificatesGiven, certificatesOf, insertHeldCertificate, type AuthorityCertificateRow } from './certificate-store.ts'
import { findIssuing } from './issuer-store.ts'
import { insertReservation, newSerial, reservationAbout, reserve, signReserved, storeSigned, voidReservation } from './issuing.ts'
import { planAuthority, type AuthorityDraft, type AuthorityPlan } from './plan.ts'
import { certifiesOthers, isGivenUp } from './policy.ts'
import { voidReserved } from './serial-store.ts'
import { authorityOfRequest, changeAuthority, findAuthority, insertAuthority, lockAuthority, type AuthorityRow } from './store.ts'

export type AuthorityWork = { db: Database; emit: Emit<typeof authorities> }

/** Who makes it, where, and how a commit is made on their behalf. */
export type Maker = {
  tenantId: string
  requestKey: string
  transact<T>(work: (work: AuthorityWork) => Promise<T>): Promise<T>
  /** Where a person asks: their account, and whether they still may, once the key has signed. */
  askedBy?: string
  mayStill?(db: Database): Promise<boolean>
}
export type Finisher = Pick<Maker, 'tenantId' | 'transact' | 'mayStill'>

type Asking = { viewer: Viewer; house: House; request: { idempotencyKey: string | undefined }; transact: Maker['transact'] }

/** A maker for whoever calls. */
export const makerOf = ({ viewer, house, request, transact }: Asking): Maker => ({
  tenantId: viewer.tenantId,
  requestKey: `${viewer.userId}:${request.idempotencyKey}`,
  transact,
  askedBy: viewer.userId,
  mayStill: (db) => mayStill(db, viewer, authorities.calls.create, house.now()),
})

/** A maker that works without a call: the set-up wizard, the bootstrap script, recovery. */
export const makerFor = (house: House, tenantId: string, actor: Actor, requestKey: string): Maker => ({
  tenantId,
  requestKey,
  transact: (work) => house.work(tenantId, actor, ({ db, emitFor }) => work({ db, emit: emitFor(authorities) })),
})

/** What of a draft is not in the plan. */
export type NamedKey = Pick<AuthorityDraft, 'kind' | 'friendlyName' | 'keyAlgorithm' | 'tokenId' | 'tokenKeyId'>

/** What else is to be decided of a new authority: by its draft alone, or by another one that it follows. */
export type Making = {
  /** Throws a Fault that names every field that is wrong. */
  plan(db: Database, now: Date): Promise<AuthorityPlan>
  predecessorId?: string
  /** In the same commit. */
  besides?(work: AuthorityWork, row: AuthorityRow, spki: Uint8Array, now: Date): Promise<void>
}

export async function createAuthorityAs(house: House, maker: Maker, draft: AuthorityDraft): Promise<string> {
  return makeAuthorityAs(house, maker, draft, { plan: (db, now) => planAuthority(db, maker.tenantId, draft, now) })
}

export async function makeAuthorityAs(house: House, maker: Maker, draft: NamedKey, making: Making): Promise<string> {
  const { tenantId } = maker
  const read = <T>(query: (db: Database) => Promise<T>): Promise<T> => inTenant(house.database, tenantId, query)
  const earlier = await read((db) => authorityOfRequest(db, tenantId, maker.requestKey))
  const row =
    earlier ??
    (await insertNew(house, maker, draft, making).catch(async (error: unknown) => {
      // The same request came twice at once, and the other was first: whatever stopped this one (its name is taken, say), that one counts.
      const first = await read((db) => authorityOfRequest(db, tenantId, maker.requestKey))
      if (first !== undefined) return first
      throw faultOfConstraint(authorities.calls.create, error)
    }))
  if (row.friendly_name !== draft.friendlyName || row.kind !== draft.kind || row.predecessor_id !== (making.predecessorId ?? null))
    throw commonFault('conflict')
  // It is on record: where its own key or its issuer's is out of reach, recovery signs it when that is back.
  await finishAuthority(house, maker, row.id).catch((error: unknown) => {
    if (!(error instanceof KeyUnavailable)) throw error
    house.log.warn({ authority: row.id, reason: error.reason }, 'an authority waits for a key that is unavailable')
  })
  const made = await read((db) => findAuthority(db, tenantId, row.id))
  if (made !== undefined && isGivenUp(made)) {
    // For what would refuse it now, such as an issuer that was revoked meanwhile.
    await read((db) => making.plan(db, house.now()))
    throw commonFault('conflict')
  }
  return row.id
}

/** The first commit. What is wrong is said before a key is made for it. */
async function insertNew(house: House, maker: Maker, draft: NamedKey, making: Making): Promise<AuthorityRow> {
  const { tenantId } = maker
  await inTenant(house.database, tenantId, (db) => making.plan(db, house.now()))
  const made = await makeKey(house, {
    tenantId,
    algorithm: draft.keyAlgorithm,
    label: draft.friendlyName,
    tokenId: draft.tokenId,
    objectId: draft.tokenKeyId,
  }).catch((error: unknown) => {
    throw error instanceof KeyUnavailable ? invalidField('tokenId', error.message) : error
  })
  return insertWith(house, maker, draft, making, made).catch(async (error: unknown) => {
    await made.discard()
    throw error
  })
}

function insertWith(
  house: House,
  { tenantId, requestKey, askedBy, transact }: Maker,
  draft: NamedKey,
  making: Making,
  made: NewKey,
): Promise<AuthorityRow> {
  const now = house.now()
  return transact(async ({ db, emit }) => {
    const plan = await making.plan(db, now)
    const keyId = await made.keep(db, now)
    const row = {
      ...(await rowOf(db, house, { tenantId, requestKey, draft, plan, keyId, keyIdentifier: keyIdentifier(made.spki), now })),
      predecessor_id: making.predecessorId ?? null,
      requested_by: askedBy ?? null,
    }
    await insertAuthority(db, row)
    const serialHex = await reserveOwn(db, row, plan, made.spki, now)
    await making.besides?.({ db, emit }, row, made.spki, now)
    emit(
      'created',
      {
        caId: row.id,
        kind: row.kind,
        subject: plan.subjectText,
        keyId,
        keyAlgorithm: draft.keyAlgorithm,
        issuerId: plan.issuer?.caId,
        serialHex,
      },
      row.id,
    )
    return row
  })
}

type Parts = {
  tenantId: string
  requestKey: string
  draft: NamedKey
  plan: AuthorityPlan
  keyId: string
  keyIdentifier: Uint8Array
  now: Date
}

async function rowOf(
  db: Database,
  house: House,
  { tenantId, requestKey, draft, plan, keyId, keyIdentifier: identifier, now }: Parts,
): Promise<AuthorityRow> {
  const id = timeOrderedId(now)
  const publicId = await addPublicAddress(db, { tenantId, kind: 'authority', target: id })
  const external = draft.kind === 'outside'
  return {
    tenant_id: tenantId,
    id,
    public_id: publicId,
    friendly_name: draft.friendlyName,
    kind: draft.kind,
    issuer_id: plan.issuerId ?? null,
    key_id: keyId,
    key_algorithm: draft.keyAlgorithm,
    key_identifier: Buffer.from(identifier),
    signature_algorithm: signatureAlgorithmFor(draft.keyAlgorithm),
    subject: Buffer.from(plan.subjectEncoded),
    subject_text: plan.subjectText,
    path_length: plan.pathLength ?? null,
    certificate: null,
    issuer_chain: (plan.issuer?.chain ?? []).map((der) => Buffer.from(der)),
    not_before: external ? null : plan.notBefore,
    not_after: external ? null : plan.notAfter,
    request: null,
    issuing: true,
    ...addressesAt(house, publicId),
    crl_shards: 0,
    request_key: requestKey,
    created_at: now,
    certified_at: null,
    predecessor_id: null,
    moves_at: null,
    moved_at: null,
    name_shared_since: null,
    given_up_at: null,
    requested_by: null,
  }
}

/** A root is reserved under itself, a subordinate under its issuer; where an outside authority signs there is nothing to reserve. */
async function reserveOwn(
  db: Database,
  row: AuthorityRow,
  plan: AuthorityPlan,
  publicKey: Uint8Array,
  now: Date,
): Promise<string | undefined> {
  const about = { kind: 'authority', id: row.id } as const
  const { notBefore, notAfter, extensions } = plan
  if (plan.issuer !== undefined) {
    return (await reserve(db, plan.issuer, { subject: plan.subjectEncoded, notBefore, notAfter, publicKey, extensions, about }, now))
      .serialHex
  }
  if (row.kind === 'outside') return undefined
  const serial = newSerial()
  return (
    await insertReservation(
      db,
      row,
      { serial, tbs: rootTbs({ ...plan, publicKey, signatureAlgorithm: row.signature_algorithm }, serial), about, notAfter },
      now,
    )
  ).serialHex
}

/** A root names no CRL or OCSP address: nobody above it could say that it is revoked. */
export const rootTbs = (
  root: Pick<AuthorityPlan, 'subjectEncoded' | 'notBefore' | 'notAfter' | 'extensions'> &
    Pick<AuthorityTbs, 'publicKey' | 'signatureAlgorithm'>,
  serialNumber: Uint8Array,
): Uint8Array =>
  buildTbsCertificate({
    serialNumber,
    signatureAlgorithm: root.signatureAlgorithm,
    issuer: root.subjectEncoded,
    notBefore: root.notBefore,
    notAfter: root.notAfter,
    subject: root.subjectEncoded,
    publicKey: root.publicKey,
    extensions: [...root.extensions, { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: keyIdentifier(root.publicKey) }],
  })
type AuthorityTbs = Parameters<typeof buildTbsCertificate>[0]

/** Signs what is reserved and not yet signed, or the request for an outside authority. Does nothing where there is nothing left to do. */
export async function finishAuthority(house: House, maker: Finisher, id: string): Promise<void> {
  const { tenantId } = maker
  const row = await inTenant(house.database, tenantId, (db) => findAuthority(db, tenantId, id))
  if (row === undefined || row.certificate !== null || isGivenUp(row)) return
  if (row.kind === 'outside') return finishRequest(house, maker, row)

  const found = await inTenant(house.database, tenantId, async (db) => {
    const reservation = await reservationAbout(db, tenantId, id)
    return (
      reservation && {
        reservation,
        signer: await findAuthority(db, tenantId, reservation.caId),
        forfeited: await isForfeited(db, row, reservation.caId),
      }
    )
  })
  if (found?.signer === undefined) return
  const { reservation, signer, forfeited } = found
  const certificate = forfeited
    ? undefined
    : await signReserved(house, signerOf(signer), reservation).catch(async (error: unknown) => {
        // Another request or the recovery has stored the signature in the meantime, together with the certificate.
        const current = await inTenant(house.database, tenantId, (db) => findAuthority(db, tenantId, id))
        if (current?.certificate == null) throw error
        return undefined
      })
  if (certificate === undefined && !forfeited) return
  await maker.transact(async ({ db, emit }) => {
    const now = house.now()
    // Held until the commit: a revocation of the issuer has ended then, or comes after what is stored.
    await lockAuthority(db, tenantId, signer.id)
    // A slow key leaves time for that, and to disable who asked or to take the right to it; a crash and a token that is away leave more.
    if ((await isForfeited(db, row, signer.id)) || !(await askerMay(db, maker, row.requested_by))) {
      if (await giveUp(db, tenantId, id, now)) emit('voided', { caId: id, serialHex: reservation.serialHex }, id)
      return
    }
    if (certificate === undefined || !(await storeSigned(db, { tenantId, caId: signer.id }, reservation.serialHex, certificate, now)))
      return
    await changeAuthority(db, tenantId, id, { certificate: Buffer.from(certificate), certified_at: now })
    const own = parseCertificate(certificate)
    await insertHeldCertificate(db, heldRow(own, { tenantId, caId: id, role: 'main', issuerId: signer.id, now }))
    emit('certified', { caId: id, serialHex: reservation.serialHex, sha256: fingerprint(own) }, id)
  })
}

/** Nobody is certified by an authority that was revoked or stopped since, or stands below a revoked one. A root signs itself. */
async function isForfeited(db: Database, { tenant_id: tenantId, id }: AuthorityRow, issuerId: string): Promise<boolean> {
  if (issuerId === id) return false
  return !certifiesOthers(await findIssuing(db, tenantId, issuerId))
}

/** Whether whoever asked may have it still: as the call says, or, where it goes on without one, by the account on record. */
export async function askerMay(db: Database, { tenantId, mayStill }: Finisher, requestedBy: string | null): Promise<boolean> {
  if (mayStill !== undefined) return mayStill(db)
  if (requestedBy === null) return true
  const rights = await rightsHere(db, tenantId, requestedBy)
  return rights !== undefined && passesDoor(rights, authorities.calls.create)
}

/** Its serial is void, and so are those of its links with the one that it was to follow, which may get another successor. False where that is done. */
async function giveUp(db: Database, tenantId: string, id: string, now: Date): Promise<boolean> {
  if ((await voidReservation(db, tenantId, id)).length === 0) return false
  for (const { certificate, issuer_id: issuerId, serial } of [
    ...(await certificatesOf(db, tenantId, id)),
    ...(await certificatesGiven(db, tenantId, id)),
  ]) {
    if (certificate === null && issuerId !== null) await voidReserved(db, tenantId, issuerId, [serial])
  }
  await changeAuthority(db, tenantId, id, { predecessor_id: null, issuing: false, given_up_at: now })
  return true
}

/** Throws for an authority whose key is not here: nothing is ever reserved under one. */
export function signerOf({ tenant_id: tenantId, id: caId, key_id: keyId }: AuthorityRow): {
  tenantId: string
  caId: string
  keyId: string
} {
  if (keyId === null) throw new Error(`The key of the authority ${caId} is not here`)
  return { tenantId, caId, keyId }
}

type Holding = { tenantId: string; caId: string; role: CertificateRole; issuerId?: string; above?: readonly Uint8Array[]; now: Date }

/** A signed certificate as its authority holds it. */
export const heldRow = (own: Certificate, { tenantId, caId, role, issuerId, above = [], now }: Holding): AuthorityCertificateRow => ({
  tenant_id: tenantId,
  id: timeOrderedId(now),
  ca_id: caId,
  role,
  issuer_id: issuerId ?? null,
  serial: Buffer.from(own.serialNumber),
  subject_text: formatName(own.subject),
  issuer_text: formatName(own.issuer),
  not_before: own.notBefore,
  not_after: own.notAfter,
  certificate: Buffer.from(own.encoded),
  issuer_chain: above.map((der) => Buffer.from(der)),
  request_key: null,
  made_at: now,
  certified_at: now,
  revoked_elsewhere_at: null,
  revoked_elsewhere_reason: null,
  requested_by: null,
})

async function finishRequest(house: House, maker: Finisher, row: AuthorityRow): Promise<void> {
  if (row.request !== null) return
  const { tenantId, transact } = maker
  const { keyId } = signerOf(row)
  const publicKey = await inTenant(house.database, tenantId, (db) => findPublicKey(db, tenantId, keyId))
  if (publicKey === undefined) throw new Error(`The key of the authority ${row.id} is missing`)
  const pathLength = row.path_length
  const info = buildCsrInfo({
    subject: row.subject,
    publicKey,
    requestedExtensions: [
      { type: 'basicConstraints', critical: true, cA: true, ...(pathLength === null ? {} : { pathLenConstraint: pathLength }) },
      { type: 'keyUsage', critical: true, usages: ['digitalSignature', 'keyCertSign', 'cRLSign'] },
      { type: 'subjectKeyIdentifier', critical: false, keyIdentifier: row.key_identifier },
    ],
  })
  const signature = await signWithKey(house, { tenantId, keyId, algorithm: row.signature_algorithm, data: info })
  const request = Buffer.from(assembleSigned(info, row.signature_algorithm, signature))
  await transact(async ({ db, emit }) => {
    // Two that sign at once, a call and recovery: the first counts.
    const current = await lockAuthority(db, tenantId, row.id)
    if (current === undefined || current.request !== null || isGivenUp(current)) return
    // As for one that is signed here: a slow key and a crash leave time to lose the right to it.
    if (!(await askerMay(db, maker, row.requested_by))) {
      await changeAuthority(db, tenantId, row.id, { issuing: false, given_up_at: house.now() })
      emit('voided', { caId: row.id }, row.id)
      return
    }
    await changeAuthority(db, tenantId, row.id, { request })
    emit('requested', { caId: row.id, sha256: createHash('sha256').update(request).digest('hex') }, row.id)
  })
}
