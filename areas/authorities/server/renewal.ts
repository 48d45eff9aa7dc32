// How an authority outlives its certificate. With the same key: a further certificate of the same name, put forward once it holds longest. With a new key: a
// successor of the same name, which is an authority of its own with its own serials, lists and addresses; the old one stays for what it has signed.
// Two roots of one name certify each other (RFC 4210 4.4), so that whoever trusts either can verify both.

import { refusalOfPlace } from '#areas/keys/places.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { defaultYears, endOfValidity, wholeSecond, type MadeKind, type ValidityUnit } from '../rules.ts'
import { linkLives } from '../succession.ts'
import { certificateOfRequest, certificatesOf, successorOf } from './certificate-store.ts'
import { carriedBy, finishAllFurther, furtherTbs, reserveFurther } from './certify.ts'
import { makeAuthorityAs, rootTbs, type AuthorityWork, type Maker, type NamedKey } from './create.ts'
import { findIssuing } from './issuer-store.ts'
import { issuerOf, refusalToIssue, type Issuer } from './issuers.ts'
import { nameTaken, type AuthorityPlan } from './plan.ts'
import { authorityNamed, changeAuthority, findAuthority, revokedAuthorities, type AuthorityRow } from './store.ts'

export type Validity = { validityPeriod?: number | undefined; validityPeriodUnits: ValidityUnit }

type Followed = { row: AuthorityRow & { kind: MadeKind; certificate: Buffer }; own: Certificate }

/** Why an authority cannot go on with a new certificate or key, by the fault of the calls below. */
export type NoFollowing = 'offline' | 'outside' | 'waiting' | 'revoked' | 'succeeded'

/** The authority with its present certificate; undefined for one that is missing. */
async function findFollowed(
  db: Database,
  tenantId: string,
  caId: string,
  { revokedToo = false } = {},
): Promise<Followed | NoFollowing | undefined> {
  const row = await findAuthority(db, tenantId, caId)
  if (row === undefined) return undefined
  const { certificate, kind } = row
  if (kind === 'offline') return 'offline'
  if (certificate === null) return 'waiting'
  if (!revokedToo && (await revokedAuthorities(db, tenantId)).has(caId)) return 'revoked'
  return { row: { ...row, kind, certificate }, own: parseCertificate(certificate) }
}

type Plan = Pick<AuthorityPlan, 'issuer' | 'notBefore' | 'notAfter' | 'shortened' | 'extensions'>

/** A further life as the certificate says it, cut to the issuer's end. Throws a Fault. */
async function planLife(db: Database, { row, own }: Followed, { validityPeriod, validityPeriodUnits }: Validity, now: Date): Promise<Plan> {
  const issuer = row.kind === 'subordinate' && row.issuer_id !== null ? await issuerNamed(db, row, row.issuer_id, now) : undefined
  const notBefore = wholeSecond(now)
  const wanted = endOfValidity(
    notBefore,
    validityPeriod ?? defaultYears[row.kind],
    validityPeriod === undefined ? 'YEARS' : validityPeriodUnits,
  )
  const shortened = issuer !== undefined && wanted > issuer.notAfter
  const notAfter = shortened ? issuer.notAfter : wanted
  if (issuer !== undefined) {
    const refusal = refusalToIssue(issuer, { notBefore, notAfter }, now)
    if (refusal !== undefined) throw invalidField('validityPeriod', refusal.says)
  }
  return { issuer, notBefore, notAfter, shortened, extensions: carriedBy(own) }
}

async function issuerNamed(db: Database, row: AuthorityRow, issuerId: string, now: Date): Promise<Issuer> {
  const found = await findIssuing(db, row.tenant_id, issuerId)
  const issuer = found && issuerOf(found, now)
  if (issuer === undefined) throw commonFault('conflict')
  return issuer
}

/** Plans what would be signed: for the preview, and again for the making. */
async function planRenewal(
  db: Database,
  tenantId: string,
  caId: string,
  validity: Validity,
  now: Date,
): Promise<(Followed & { plan: Plan }) | NoFollowing | undefined> {
  const followed = await findFollowed(db, tenantId, caId)
  if (followed === undefined || typeof followed === 'string') return followed
  if (followed.row.kind === 'outside') return 'outside'
  const plan = await planLife(db, followed, validity, now)
  if (plan.notAfter <= followed.own.notAfter) {
    throw invalidField(
      'validityPeriod',
      plan.shortened
        ? say`${plan.issuer?.friendlyName ?? 'The issuer'} ends on ${plan.notAfter.toISOString()}, and so does the present certificate: renew that one first`
        : say`The present certificate holds until ${followed.own.notAfter.toISOString()}, which is longer`,
    )
  }
  return { ...followed, plan }
}

/** The same key and name, a later end. Returns the id of the new certificate; where it was given up meanwhile, why it would not be made now. Not inside a transaction. */
export async function renewAuthority(
  house: House,
  maker: Maker,
  caId: string,
  validity: Validity,
): Promise<{ certificateId: string } | NoFollowing | undefined> {
  const { tenantId, requestKey } = maker
  const earlier = await inTenant(house.database, tenantId, (db) => certificateOfRequest(db, tenantId, requestKey))
  const outcome =
    earlier?.id !== undefined
      ? { certificateId: earlier.id }
      : await maker.transact(async (work) => {
          const now = house.now()
          const found = await planRenewal(work.db, tenantId, caId, validity, now)
          if (found === undefined || typeof found === 'string') return found
          return { certificateId: await reserveRenewal(work, found, maker, now) }
        })
  if (outcome === undefined || typeof outcome === 'string' || (await finishAllFurther(house, maker, [outcome.certificateId])).length === 0)
    return outcome
  return inTenant(house.database, tenantId, async (db) => {
    const refused = await planRenewal(db, tenantId, caId, validity, house.now())
    if (refused === undefined || typeof refused === 'string') return refused
    throw commonFault('conflict')
  })
}

async function reserveRenewal(
  work: AuthorityWork,
  { row, own, plan }: Followed & { plan: Plan },
  { requestKey, askedBy }: Maker,
  now: Date,
): Promise<string> {
  const said = { notBefore: plan.notBefore, notAfter: plan.notAfter, extensions: plan.extensions }
  const issuer = row.issuer_id === null ? row : await findAuthority(work.db, row.tenant_id, row.issuer_id)
  if (issuer === undefined) throw commonFault('conflict')
  const tbs = (serial: Uint8Array): Uint8Array =>
    row.kind === 'root'
      ? rootTbs(
          { ...said, subjectEncoded: row.subject, publicKey: own.publicKey.spki, signatureAlgorithm: row.signature_algorithm },
          serial,
        )
      : furtherTbs(
          issuer,
          { ...said, subject: row.subject, publicKey: own.publicKey.spki, subjectKeyIdentifier: row.key_identifier },
          serial,
        )
  return reserveFurther(work, { issuer, caId: row.id, role: 'main', tbs, requestKey, askedBy, now, field: 'validityPeriod' })
}

export type SuccessorDraft = Validity & Omit<NamedKey, 'kind'> & { caId: string }

/** A successor with a new key; for a root the two links, too. Returns its id. Not inside a transaction. */
export async function succeedAuthority(
  house: House,
  maker: Maker,
  draft: SuccessorDraft,
): Promise<{ caId: string } | NoFollowing | undefined> {
  const { tenantId } = maker
  const { caId: predecessorId, friendlyName, keyAlgorithm, tokenId, tokenKeyId } = draft
  // A new key is what helps where the old one was lost.
  const followed = await inTenant(house.database, tenantId, (db) => findFollowed(db, tenantId, predecessorId, { revokedToo: true }))
  if (followed === undefined || typeof followed === 'string') return followed
  const known = await inTenant(house.database, tenantId, (db) => successorOf(db, tenantId, predecessorId))
  if (known !== undefined && known.request_key !== maker.requestKey) return 'succeeded'
  const { row, own } = followed
  const key: NamedKey = { kind: row.kind, friendlyName, keyAlgorithm, tokenId, tokenKeyId }
  const caId = await makeAuthorityAs(house, maker, key, {
    predecessorId,
    plan: (db, now) => planSuccessor(db, followed, draft, now),
    async besides(work, successor, spki, now) {
      await changeAuthority(work.db, tenantId, predecessorId, { name_shared_since: now })
      await changeAuthority(work.db, tenantId, successor.id, { name_shared_since: now })
      // Where the old one has ended there is nobody left to be led over.
      if (row.kind === 'root' && own.notAfter > now) await reserveLinks(work, { old: row, own, successor, spki, now })
      work.emit('succession', { caId: predecessorId, successorId: successor.id }, predecessorId)
    },
  })
  const links = await inTenant(house.database, tenantId, async (db) => [
    ...(await certificatesOf(db, tenantId, predecessorId)),
    ...(await certificatesOf(db, tenantId, caId)),
  ])
  await finishAllFurther(
    house,
    maker,
    links.filter(({ certificate }) => certificate === null).map(({ id }) => id),
  )
  return { caId }
}

async function planSuccessor(db: Database, followed: Followed, draft: SuccessorDraft, now: Date): Promise<AuthorityPlan> {
  const { row, own } = followed
  const tenantId = row.tenant_id
  if ((await authorityNamed(db, tenantId, draft.friendlyName)) !== undefined) throw nameTaken()
  const place = await refusalOfPlace(db, tenantId, draft.keyAlgorithm, { tokenId: draft.tokenId, objectId: draft.tokenKeyId })
  if (place !== undefined) throw invalidField(place.field, place.says)
  const plan = await planLife(db, followed, draft, now)
  return {
    ...plan,
    subject: own.subject,
    subjectEncoded: row.subject,
    subjectText: row.subject_text,
    pathLength: row.path_length ?? undefined,
    issuerId: row.issuer_id ?? undefined,
  }
}

type Links = { old: AuthorityRow; own: Certificate; successor: AuthorityRow; spki: Uint8Array; now: Date }

/** Each key certifies the other: an authority and its successor, until the old one ends. */
async function reserveLinks(work: AuthorityWork, { old, own, successor, spki, now }: Links): Promise<void> {
  const { not_before: notBefore, not_after: notAfter } = successor
  if (notBefore === null || notAfter === null) throw new Error(`The successor ${successor.id} has no life`)
  const lives = linkLives(own, { notBefore, notAfter })
  const extensions = carriedBy(own)
  const newWithOld = {
    ...lives.newWithOld,
    subject: successor.subject,
    publicKey: spki,
    subjectKeyIdentifier: successor.key_identifier,
    extensions,
  }
  const oldWithNew = {
    ...lives.oldWithNew,
    subject: old.subject,
    publicKey: own.publicKey.spki,
    subjectKeyIdentifier: old.key_identifier,
    extensions,
  }
  await reserveFurther(work, {
    issuer: old,
    caId: successor.id,
    role: 'link',
    tbs: (serial) => furtherTbs(old, newWithOld, serial),
    askedBy: successor.requested_by ?? undefined,
    now,
    field: 'validityPeriod',
  })
  await reserveFurther(work, {
    issuer: successor,
    caId: old.id,
    role: 'link',
    tbs: (serial) => furtherTbs(successor, oldWithNew, serial),
    askedBy: successor.requested_by ?? undefined,
    now,
    field: 'validityPeriod',
  })
}
