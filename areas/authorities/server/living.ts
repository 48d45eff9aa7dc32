// The calls about an authority's life after its making.

import { findPublicKey } from '#areas/keys/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import type { Handlers } from '#core/server/serve.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { formatName } from '#standards/x509/names.ts'
import type { authorities } from '../contract.ts'
import { licencesGiven, putAuthorityLicence } from '../licensing.ts'
import { revokedAbove } from '../stakes.ts'
import { successorMoves } from '../succession.ts'
import {
  certificatesGiven,
  certificatesOf,
  dueMoves,
  findHeldCertificate,
  insertHeldCertificate,
  lastEndOf,
  successorOf,
  type HeldCertificateRow,
} from './certificate-store.ts'
import { chainAbove } from './certify.ts'
import { heldRow, makerFor, makerOf, signerOf, type AuthorityWork } from './create.ts'
import { crossCertify, previewCross, requireOneOther, takeCross } from './cross.ts'
import { fileOf } from './download.ts'
import { readAnswer, readOffline, type Answer } from './import.ts'
import { addOffline, requestSheet } from './offline.ts'
import { statusOfRow } from './read.ts'
import { remarksOnAuthority, remarksOnHeld, remarksOnImported } from './remarks.ts'
import { renewAuthority, succeedAuthority } from './renewal.ts'
import { changeAuthority, findAuthority, lockAuthority, rechainBelow, type AuthorityRow } from './store.ts'

type Contract = typeof authorities
type LivingHandlers = Pick<
  Handlers<Contract>,
  | 'life'
  | 'downloadCertificate'
  | 'renew'
  | 'succeed'
  | 'takeOver'
  | 'previewCross'
  | 'crossCertify'
  | 'takeCross'
  | 'addOffline'
  | 'requestSheet'
  | 'importCertificate'
>
type Life = OutputOf<typeof authorities.calls.life>

const presentHeld = (row: HeldCertificateRow, current: Buffer | null): Life['certificates'][number] => ({
  certificateId: row.id,
  role: row.role,
  subject: row.subject_text,
  issuer: row.issuer_text,
  ...(row.ca_id === null ? {} : { caId: row.ca_id }),
  ...(row.issuer_id === null ? {} : { issuerId: row.issuer_id }),
  serialHex: row.serial.toString('hex'),
  notBefore: row.not_before.toISOString(),
  notAfter: row.not_after.toISOString(),
  signed: row.certificate !== null,
  putForward: row.certificate !== null && current !== null && bytesEqual(row.certificate, current),
  ...(row.certificate === null ? {} : { sha256: fingerprint({ encoded: row.certificate }) }),
  ...(row.revoked_at === null || row.revocation_reason === null
    ? {}
    : { revocation: { at: row.revoked_at.toISOString(), reason: row.revocation_reason } }),
})

const relative = (row: AuthorityRow, now: Date): NonNullable<Life['successor']> => ({
  caId: row.id,
  friendlyName: row.friendly_name,
  status: statusOfRow(row, now),
  keyIdentifier: row.key_identifier.toString('hex'),
  ...(row.not_before === null ? {} : { notBefore: row.not_before.toISOString() }),
  ...(row.not_after === null ? {} : { notAfter: row.not_after.toISOString() }),
})

async function lifeOf(db: Database, row: AuthorityRow, now: Date): Promise<Life> {
  const { tenant_id: tenantId, id } = row
  const successor = await successorOf(db, tenantId, id)
  const predecessor = row.predecessor_id === null ? undefined : await findAuthority(db, tenantId, row.predecessor_id)
  const lastEnd = await lastEndOf(db, tenantId, id, now)
  return {
    certificates: (await certificatesOf(db, tenantId, id)).map((held) => presentHeld(held, row.certificate)),
    given: (await certificatesGiven(db, tenantId, id)).map((held) => presentHeld(held, null)),
    ...(predecessor === undefined ? {} : { predecessor: relative(predecessor, now) }),
    ...(successor === undefined ? {} : { successor: relative(successor, now) }),
    ...(lastEnd === undefined ? {} : { lastEnd: lastEnd.toISOString() }),
    ...(successor?.moves_at == null ? {} : { movesAt: successor.moves_at.toISOString() }),
    ...(successor?.moved_at == null ? {} : { movedAt: successor.moved_at.toISOString() }),
  }
}

export const livingHandlers: LivingHandlers = {
  async life({ caId }, { db, viewer, now, fault }) {
    return lifeOf(db, (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing'), now)
  },

  async downloadCertificate({ certificateId, format }, { db, viewer, fault }) {
    const row = (await findHeldCertificate(db, viewer.tenantId, certificateId)) ?? fault('missing')
    const chain = row.certificate === null ? [] : [row.certificate, ...(await chainAbove(db, row))]
    return (
      fileOf(
        `${/CN=([^,]+)/.exec(row.subject_text)?.[1] ?? 'authority'} ${row.role} ${row.serial.toString('hex').slice(0, 8)}`,
        chain,
        format,
      ) ?? fault('missing')
    )
  },

  async renew({ caId, ...validity }, context) {
    const outcome = (await renewAuthority(context.house, makerOf(context), caId, validity)) ?? context.fault('missing')
    if (typeof outcome === 'string') return context.fault(outcome === 'succeeded' ? 'conflict' : outcome)
    return { ...outcome, remarks: await remarksOnHeld(context.house, context.viewer.tenantId, outcome.certificateId, validity) }
  },

  async succeed(draft, context) {
    const { house, viewer, request, transact, fault } = context
    const outcome = (await succeedAuthority(house, makerOf({ viewer, house, request, transact }), draft)) ?? fault('missing')
    if (typeof outcome === 'string') return fault(outcome)
    return { ...outcome, remarks: await remarksOnAuthority(house, viewer.tenantId, outcome.caId, draft) }
  },

  async takeOver({ caId, at }, { db, viewer, now, emit, house, fault }) {
    const { tenantId } = viewer
    if ((await findAuthority(db, tenantId, caId)) === undefined) fault('missing')
    const { id: successorId } = (await successorOf(db, tenantId, caId)) ?? fault('noSuccessor')
    const successor = (await lockAuthority(db, tenantId, successorId)) ?? fault('noSuccessor')
    if (successor.moved_at !== null) fault('moved')
    const moment = at === undefined ? now : new Date(at)
    if (moment > now) {
      if (successor.not_after !== null && moment > successor.not_after)
        throw invalidField('at', say`The successor ends on ${successor.not_after.toISOString()}`)
      await changeAuthority(db, tenantId, successor.id, { moves_at: moment })
      emit('takeOverSet', { caId, successorId: successor.id, at: moment.toISOString() }, caId)
      return { movesAt: moment.toISOString() }
    }
    const moved = await takeOverNow(house, { db, emit }, successor, caId, now)
    if (moved === 'waits') return fault('successorWaits')
    return typeof moved === 'string' ? fault('stuck', { params: { reason: moved } }) : { moved }
  },

  async previewCross(draft, { db, viewer, now, fault }) {
    requireOneOther(draft)
    return (await previewCross(db, viewer.tenantId, draft, now)) ?? fault('missing')
  },

  async crossCertify(draft, { house, viewer, request, transact, fault }) {
    requireOneOther(draft)
    const certificateId = await crossCertify(house, makerOf({ viewer, house, request, transact }), draft)
    return certificateId === undefined ? fault('missing') : { certificateId }
  },

  async takeCross({ caId, certificate: text }, { db, viewer, now, emit, fault }) {
    const row = (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
    const { certificate } = row
    return { certificateId: await takeCross({ db, emit }, certificate === null ? fault('waiting') : { ...row, certificate }, text, now) }
  },

  addOffline: async (draft, { db, viewer, house, now, emit }) => ({
    caId: await addOffline({ db, emit }, house, viewer.tenantId, draft, now),
  }),

  async requestSheet({ caId }, { db, viewer, now, fault }) {
    const row = (await findAuthority(db, viewer.tenantId, caId)) ?? fault('missing')
    const sheet = (await requestSheet(db, row, now)) ?? fault('missing')
    const stem =
      row.friendly_name
        .normalize('NFKD')
        .replaceAll(/[^\w.-]+/g, '-')
        .replaceAll(/^[-.]+|[-.]+$/g, '')
        .slice(0, 60) || 'authority'
    return { fileName: `${stem}-request.pem`, mediaType: 'application/x-pem-file', content: Buffer.from(sheet).toString('base64') }
  },

  async importCertificate({ caId, certificate: text }, { db, viewer, emit, now, fault }) {
    const { tenantId } = viewer
    const row = (await findAuthority(db, tenantId, caId)) ?? fault('missing')
    if (row.kind !== 'outside' && row.kind !== 'offline') fault('notOutside')
    const { own, above } = row.kind === 'offline' ? readRenewedOffline(row, text, now) : await readAnswerTo(db, row, text, now)
    const chain = above.map(({ encoded }) => Buffer.from(encoded))
    await changeAuthority(db, tenantId, caId, {
      certificate: Buffer.from(own.encoded),
      // What is issued carries the names that the outside authority wrote, byte for byte.
      subject: Buffer.from(own.subjectEncoded),
      subject_text: formatName(own.subject),
      key_identifier: Buffer.from(findExtension(own.extensions, 'subjectKeyIdentifier')?.keyIdentifier ?? row.key_identifier),
      path_length: findExtension(own.extensions, 'basicConstraints')?.pathLenConstraint ?? null,
      issuer_chain: chain,
      not_before: own.notBefore,
      not_after: own.notAfter,
      certified_at: now,
    })
    const known = (await certificatesOf(db, tenantId, caId)).some(
      ({ certificate }) => certificate !== null && bytesEqual(certificate, own.encoded),
    )
    if (!known) await insertHeldCertificate(db, heldRow(own, { tenantId, caId, role: 'main', above: chain, now }))
    await rechainBelow(db, tenantId, caId, [Buffer.from(own.encoded), ...chain])
    emit('certified', { caId, serialHex: own.serialHex, sha256: fingerprint(own) }, caId)
    return { remarks: remarksOnImported(own.encoded, above[0]?.encoded) }
  },
}

/** The answer of an outside authority, or of the offline one that stands above, held against what was asked. Throws a Fault. */
async function readAnswerTo(db: Database, row: AuthorityRow, text: string, now: Date): Promise<Answer> {
  const publicKey = await findPublicKey(db, row.tenant_id, signerOf(row).keyId)
  if (publicKey === undefined) throw new Error(`The key of the authority ${row.id} is missing`)
  const issuer = row.issuer_id === null ? undefined : await findAuthority(db, row.tenant_id, row.issuer_id)
  const answer = readAnswer(text, publicKey, now, issuer?.certificate == null ? [] : [issuer.certificate, ...issuer.issuer_chain])
  const { own, above } = answer
  if (
    issuer?.certificate != null &&
    (above[0] === undefined || !bytesEqual(above[0].publicKey.spki, parseCertificate(issuer.certificate).publicKey.spki))
  ) {
    throw invalidField(
      'certificate',
      say`This is signed by ${formatName(own.issuer)}. The request was for ${issuer.friendly_name} (${issuer.subject_text})`,
    )
  }
  // An outside authority may change the name of a request; an own one that is offline has no reason to.
  if (issuer !== undefined || row.certificate !== null) keepsName(row, own)
  return answer
}

function readRenewedOffline(row: AuthorityRow, text: string, now: Date): Answer {
  const answer = readOffline(text, now)
  if (row.certificate !== null && !bytesEqual(answer.own.publicKey.spki, parseCertificate(row.certificate).publicKey.spki)) {
    throw invalidField('certificate', say`This certificate is for another key. An authority with a new key is added as one of its own`)
  }
  keepsName(row, answer.own)
  return answer
}

function keepsName(row: AuthorityRow, own: Answer['own']): void {
  if (bytesEqual(row.subject, own.subjectEncoded)) return
  throw invalidField(
    'certificate',
    row.certificate === null
      ? say`The request says ${row.subject_text}. This certificate says ${formatName(own.subject)}`
      : say`The name of an authority stays what it was: ${row.subject_text}. This certificate says ${formatName(own.subject)}`,
  )
}

/** Moves what hangs on an authority to its successor, whose row is held: two do not move it twice. Returns how much moved, or why nothing can. */
async function takeOverNow(
  house: House,
  { db, emit }: AuthorityWork,
  successor: AuthorityRow,
  caId: string,
  now: Date,
): Promise<number | 'waits' | (string & {})> {
  const tenantId = successor.tenant_id
  if (
    successor.certificate === null ||
    statusOfRow(successor, now) !== 'ActiveCert' ||
    !successor.issuing ||
    (await revokedAbove(db, tenantId, successor.id)) !== undefined
  )
    return 'waits'
  for (const { caId: licensed, tenantId: licenseeId, term } of await licencesGiven(db, tenantId)) {
    if (licensed === caId && term.enabled) await putAuthorityLicence(db, { tenantId, caId: successor.id, licenseeId, term, now })
  }
  let moved = 0
  for (const move of house.offers(successorMoves)) {
    const outcome = await move(db, { tenantId, fromId: caId, toId: successor.id, now })
    if (typeof outcome === 'string') return outcome
    moved += outcome
  }
  await changeAuthority(db, tenantId, successor.id, { moved_at: now })
  emit('tookOver', { caId, successorId: successor.id, moved }, caId)
  return moved
}

/** Undoes the open transaction. */
class Stuck extends Error {}

/** Successors whose time has come. One that cannot take over keeps its appointment and is tried again. */
export async function takeOverWhereDue({ house, tenantId }: TenancyTurn): Promise<void> {
  const now = house.now()
  const due = await inTenant(house.database, tenantId, (db) => dueMoves(db, tenantId, now))
  await forEach(due, ({ id }) =>
    makerFor(house, tenantId, { name: 'Succession' }, '')
      .transact(async (work) => {
        const successor = await lockAuthority(work.db, tenantId, id)
        // It may have taken over since it was found, or been given another time.
        if (successor?.predecessor_id == null || successor.moved_at !== null || successor.moves_at === null || successor.moves_at > now)
          return
        const { predecessor_id: caId } = successor
        const moved = await takeOverNow(house, work, successor, caId, now)
        if (typeof moved === 'string') throw new Stuck(moved)
      })
      .catch((error: unknown) => {
        if (!(error instanceof Stuck)) throw error
        house.log.warn({ authority: id, reason: error.message }, 'a successor cannot take over yet')
      }),
  )
}
