// From a client's request to its certificate, the same for each protocol: what the client may ask for is known by now, the request takes the common path of the
// house, and whoever asks again for the same is answered the same. A secret is spent by taking it together with the transaction, and given back where nothing
// comes of it, unless a person said no.

import { createHash, randomUUID } from 'node:crypto'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { personalViewer, protocolRequestState, protocolViewer, requestByProtocol } from '#areas/certificates/protocols.ts'
import { findCertificate, type Certificate } from '#areas/certificates/service.ts'
import { namesOfCertificate, readStoredRequest, type ReadRequest } from '#areas/templates/requests.ts'
import { isSource } from '#areas/templates/rules.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { protocolRoom } from '../contract.ts'
import { protocols, strangeName, valuesOfCsr, type TransactionKind } from '../rules.ts'
import { tellIntune } from './intune.ts'
import { findSecret, giveUseBack, takeUse } from './secret-store.ts'
import { findProfile, type Names, type ProfileRecord, type SecretRecord, type TransactionRecord } from './store.ts'
import {
  findTransaction,
  insertTransaction,
  isChallengeUsed,
  listSuperseded,
  lockTransactionByKey,
  restartTransaction,
  stepTransaction,
  supersedeTransaction,
} from './transaction-store.ts'

/** Why nothing is issued, in the words in which every door says it. `cause` is what the protocol has a code of its own for. */
export type Refused = { refused: string; cause: 'request' | 'secret' | 'transaction' | 'owner' | 'certificate' }
export type Outcome = Refused | { transaction: TransactionRecord; issued?: Issued }
export type Issued = { certificate: Certificate; chain: Uint8Array[] }

export type Asked = { spki: Uint8Array; details: Pick<ReadRequest['details'], 'subject' | 'sans'> }

export type Attempt = {
  house: House
  tenantId: string
  profile: ProfileRecord
  /** What the protocol tells two requests apart by. */
  key: string
  kind: TransactionKind
  /** A CSR in DER; without it `proven`. */
  csr?: Uint8Array
  /** A key whose possession the protocol has proven by itself, with the names that are asked for. */
  proven?: Asked
  /** What lets the client enrol: a secret, the certificate that it has, or that Intune vouches for the request as it is. */
  by: { secret: SecretRecord } | { renews: Certificate } | { vouched: true; challengeHash: string }
  address: string
  /** Where a client must say that it has its certificate. */
  confirmBy?: Date
}

type About = Pick<Attempt, 'house' | 'tenantId' | 'profile' | 'key' | 'kind' | 'address'>

/** The person whose certificate it will be; null for a device. */
const holderOf = ({ by }: Pick<Attempt, 'by'>): string | null => {
  if ('secret' in by) return by.secret.holder_id
  return 'renews' in by ? (by.renews.holderUserId ?? null) : null
}

export const keyHashOf = (spki: Uint8Array): string => createHash('sha256').update(spki).digest('hex')

/** Takes the request and goes on with it as far as it goes now. Not inside a transaction. */
export async function enrol(attempt: Attempt): Promise<Outcome> {
  const { house, tenantId, profile } = attempt
  const read = askedBy(attempt)
  if ('refused' in read) return refuse(attempt, read)
  const names = await namesFor(attempt, read)
  if ('refused' in names) return refuse(attempt, names)
  const taken = await take(attempt, read, names)
  if ('refused' in taken) return refuse(attempt, taken)
  return settle(house, tenantId, profile, taken)
}

export function askedBy({ csr, proven }: Pick<Attempt, 'csr' | 'proven'>): Asked | Refused {
  if (proven !== undefined) return proven
  const read = readStoredRequest(csr ?? new Uint8Array())
  return 'faults' in read ? { cause: 'request', refused: sentences(read.faults) } : { spki: read.csr.publicKey.spki, details: read.details }
}

const sentences = (faults: readonly { says: string }[]): string => faults.map(({ says }) => says).join('; ')

/** By source, and as people read them. */
type NamesAsked = { names: Names; subject?: string }

/** What is asked for: of a secret what it is good for, else the CSR's names; of a renewal those of the certificate; of a person nothing, because the record says it. */
async function namesFor({ house, tenantId, profile, by }: Attempt, { details }: Asked): Promise<NamesAsked | Refused> {
  const template = await withTenancy(house, tenantId, ({ db, now }) => findTemplate(db, tenantId, profile.template_id, now))
  if (template === undefined) return { cause: 'request', refused: 'The template of this profile is gone' }
  const holderId = holderOf({ by })
  if (holderId !== null) {
    const person = await withTenancy(house, tenantId, ({ db }) => findPerson(db, tenantId, holderId))
    return person === undefined ? { cause: 'owner', refused: holderGone } : { names: {}, subject: fullName(person) }
  }
  if ('secret' in by && Object.keys(by.secret.names).length > 0) {
    const strange = strangeName(by.secret.names, details)
    if (strange !== undefined) return { cause: 'secret', refused: `The secret is not for the name ${strange.slice(0, 200)}` }
    return { names: by.secret.names }
  }
  const asked = valuesOfCsr(template.extensions, details, isSource)
  if (!('renews' in by)) return { names: asked }
  const held = valuesOfCsr(template.extensions, namesOfCertificate(by.renews.certificate), isSource)
  const strange = strangeName(held, details)
  if (strange !== undefined)
    return { cause: 'certificate', refused: `The certificate that is renewed has not the name ${strange.slice(0, 200)}` }
  return { names: held }
}

/** So many requests of one transaction by one certificate are looked through. */
const mostSuperseded = 200

/** Writes the transaction, or finds the one of this key. Whoever comes second finds it taken. */
function take(
  attempt: Attempt,
  read: Asked,
  { names, subject = Object.values(names).flat().join(', ') }: NamesAsked,
): Promise<TransactionRecord | Refused> {
  const { house, tenantId, profile, key, kind, csr, by, address, confirmBy } = attempt
  return house.work(tenantId, actorOf(attempt), async ({ tenancy }) => {
    const { now } = tenancy
    const keyHash = keyHashOf(read.spki)
    const before = await lockTransactionByKey(tenancy, profile.id, key)
    const isEnded = before !== undefined && (await isOver(tenancy, before))
    if (before !== undefined && !isEnded) {
      // A secret that somebody ended is in the wrong hands: what waits by it is not theirs to collect.
      if ('secret' in by && by.secret.ended_at !== null) return { cause: 'secret', refused: secretEnded }
      if (before.key_hash !== keyHash) return { cause: 'transaction', refused: 'This transaction is under way with another key' }
      if (isRepeat(before, attempt, read, names)) return before
      // A message that is played again after another took its place asks for nothing new.
      const renews = 'renews' in by ? by.renews.id : null
      const earlier = await listSuperseded(tenancy, profile.id, { key, keyHash, renews, most: mostSuperseded })
      const played = earlier.find((one) => isRepeat(one, attempt, read, names))
      if (played !== undefined) return played
      if (earlier.length >= mostSuperseded)
        return { cause: 'transaction', refused: 'Too much was asked for in this transaction. Begin another' }
    }
    // What is asked for anew by a transaction that stands is a request of its own, beside it.
    const restarted = isEnded ? before : undefined
    if ('secret' in by && !(await takeUse(tenancy, by.secret.id))) return { cause: 'secret', refused: secretEnded }
    const challengeHash = 'vouched' in by ? by.challengeHash : null
    if (challengeHash !== null && (await isChallengeUsed(tenancy, profile.id, challengeHash, restarted?.id)))
      return { cause: 'secret', refused: secretEnded }
    const record: TransactionRecord = {
      tenant_id: tenantId,
      id: restarted?.id ?? timeOrderedId(now),
      profile_id: profile.id,
      key,
      attempt: randomUUID(),
      kind,
      state: 'processing',
      key_hash: keyHash,
      csr: csr === undefined ? null : Buffer.from(csr),
      spki: csr === undefined ? Buffer.from(read.spki) : null,
      names,
      subject,
      secret_id: 'secret' in by ? by.secret.id : null,
      renews: 'renews' in by ? by.renews.id : null,
      holder_id: holderOf(attempt),
      vouched: 'vouched' in by,
      challenge_hash: challengeHash,
      spent_hashes: [],
      requester_id: holderOf(attempt) ?? profile.owner_id,
      request_id: null,
      certificate_id: null,
      code: '',
      reason: '',
      confirm_by: confirmBy ?? null,
      superseded: false,
      address,
      created_at: restarted?.created_at ?? now,
      updated_at: now,
    }
    if (before !== undefined && restarted === undefined) await supersedeTransaction(tenancy, before.id)
    if (restarted !== undefined) await restartTransaction(tenancy, record)
    else if (!(await insertTransaction(tenancy, record))) {
      if ('secret' in by && by.secret.uses_left !== null) await giveUseBack(tenancy, by.secret.id)
      return { cause: 'transaction', refused: 'This transaction came twice at the same moment. Ask again' }
    }
    return record
  })
}

/**
 * Whether a request is the one that the transaction is about, sent again: the very same bytes, or the same key with the same names, and of a renewal the same certificate. Clients make the transaction's
 * ID of their key, so that key and ID alone say nothing of what is asked for; nor does a renewal with the same key ask for the certificate that it renews.
 */
export function isRepeat(
  before: Pick<TransactionRecord, 'csr' | 'key_hash' | 'names' | 'renews'>,
  { csr, by }: Pick<Attempt, 'csr' | 'by'>,
  { spki, details }: Asked,
  names: Names = {},
): boolean {
  // A renewal with the same RSA key and names is byte for byte the one before it.
  if (before.renews !== ('renews' in by ? by.renews.id : null)) return false
  if (before.csr !== null && csr !== undefined && before.csr.equals(csr)) return true
  if (before.key_hash !== keyHashOf(spki)) return false
  // Of a key that the protocol has proven nothing is kept but what came of its names.
  if (before.csr === null || csr === undefined) return bySource(before.names) === bySource(names)
  const read = readStoredRequest(before.csr)
  return !('faults' in read) && asText(read.details) === asText(details)
}

const bySource = (names: Names): string => JSON.stringify(Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1)))
const asText = ({ subject, sans }: Asked['details']): string =>
  JSON.stringify([subject, sans].map((all) => all.map(({ field, value }) => [field, value])))

export const secretEnded = 'The challenge or secret is not known here, was used, or has ended'

/** It came to nothing, or its certificate counts no more: the same key may begin again. */
export async function isOver(
  { db, tenantId, now }: Tenancy,
  { state, certificate_id: certificateId }: TransactionRecord,
): Promise<boolean> {
  if (state === 'refused') return true
  if (state !== 'issued' || certificateId === null) return false
  const certificate = await findCertificate(db, tenantId, { certId: certificateId }, now)
  return certificate === undefined || certificate.revoked !== undefined || certificate.validTo <= now
}

/** Goes on with a transaction, and answers it as it stands then. Whatever is undone is done, nothing twice. Not inside a transaction. */
export async function settle(house: House, tenantId: string, profile: ProfileRecord, transaction: TransactionRecord): Promise<Outcome> {
  let current = transaction
  if (current.state === 'processing' || current.state === 'pending') {
    const requestId = current.request_id ?? (await requestFor(house, tenantId, profile, current))
    if (requestId !== undefined) await conclude(house, tenantId, profile, current, requestId)
    current = (await withTenancy(house, tenantId, (tenancy) => findTransaction(tenancy, current.id))) ?? current
  }
  if (current.state === 'refused') return { cause: 'request', refused: current.reason }
  if (current.state !== 'issued' || current.certificate_id === null) return { transaction: current }
  const issued = await issuedOf(house, tenantId, current.certificate_id)
  return issued === undefined ? { cause: 'request', refused: 'The certificate is gone' } : { transaction: current, issued }
}

export async function issuedOf(house: House, tenantId: string, certificateId: string): Promise<Issued | undefined> {
  return withTenancy(house, tenantId, async ({ db, now }) => {
    const certificate = await findCertificate(db, tenantId, { certId: certificateId }, now)
    if (certificate === undefined) return undefined
    const issuer = certificate.caId === undefined ? undefined : await findUsableIssuer(db, tenantId, certificate.caId, now)
    return { certificate, chain: issuer?.chain ?? [] }
  })
}

async function requestFor(
  house: House,
  tenantId: string,
  profile: ProfileRecord,
  transaction: TransactionRecord,
): Promise<string | undefined> {
  const viewer = await viewerFor(house, tenantId, profile, transaction)
  if (viewer === undefined) {
    await fail(house, tenantId, profile, transaction, transaction.holder_id === null ? ownerGone(profile.owner_name) : holderGone)
    return undefined
  }
  const outcome = await requestByProtocol(house, {
    tenantId,
    viewer,
    templateId: profile.template_id,
    ...(transaction.csr === null ? {} : { csr: encodePem('CERTIFICATE REQUEST', transaction.csr) }),
    ...(transaction.spki === null ? {} : { provenKey: transaction.spki }),
    values: transaction.names,
    key: `enrolment:${transaction.attempt}`,
    by: actorOf({ profile, key: transaction.key, address: transaction.address }).name,
    address: transaction.address,
    ...(transaction.holder_id === null ? {} : { forPerson: true as const }),
  })
  if ('refused' in outcome) {
    await fail(house, tenantId, profile, transaction, sentences(outcome.refused))
    return undefined
  }
  await withTenancy(house, tenantId, (tenancy) =>
    stepTransaction(tenancy, transaction.id, ['processing'], { request_id: outcome.requestId }),
  )
  return outcome.requestId
}

/** In whose name it is asked: a device's in that of the profile's owner, a person's in their own. */
const viewerFor = (house: House, tenantId: string, profile: ProfileRecord, transaction: TransactionRecord): Promise<Viewer | undefined> =>
  withTenancy(house, tenantId, async (tenancy) => {
    const { requester_id: userId, holder_id: holderId } = transaction
    if (holderId === null) return protocolViewer(tenancy, { userId, credentialId: profile.id })
    const template = await findTemplate(tenancy.db, tenantId, profile.template_id, tenancy.now)
    return template && personalViewer(tenancy, { userId: holderId, template, credentialId: profile.id })
  })

export const holderGone = 'Whoever this is for may not ask for certificates of their own now'

export const ownerGone = (name: string): string =>
  `${name}, in whose name this profile asks, may not ask for certificates now. Its administrator must save the profile again`

async function conclude(
  house: House,
  tenantId: string,
  profile: ProfileRecord,
  transaction: TransactionRecord,
  requestId: string,
): Promise<void> {
  const state = await withTenancy(house, tenantId, ({ db }) => protocolRequestState(db, tenantId, requestId))
  if (state === undefined) return fail(house, tenantId, profile, transaction, 'The request is gone')
  const { stage, certificateId, error } = state
  if (stage === 'issued' && certificateId !== undefined) {
    await house.work(tenantId, actorOf({ ...transaction, profile }), async ({ tenancy, emitFor }) => {
      // The client may confirm from now on: what it waited before is not counted against it.
      const confirmBy =
        transaction.confirm_by === null ? null : new Date(tenancy.now.getTime() + profile.settings.confirmationMinutes * 60_000)
      const step = { state: 'issued', certificate_id: certificateId, confirm_by: confirmBy } as const
      if (!(await stepTransaction(tenancy, transaction.id, ['processing', 'pending'], step))) return
      await tellIntune(tenancy, transaction)
      emitFor(protocolRoom)(
        'enrolled',
        { profileId: profile.id, transaction: transaction.key, kind: transaction.kind, certificateId },
        transaction.id,
      )
    })
  } else if (stage === 'denied' || stage === 'withdrawn')
    await fail(house, tenantId, profile, transaction, error === '' ? 'The request was denied' : error, { isDenied: true })
  else if (stage === 'failed') await fail(house, tenantId, profile, transaction, error === '' ? 'It could not be issued' : error)
  // One that waits on is written too: the job goes on with what was looked at longest ago, and must come to all.
  else
    await withTenancy(house, tenantId, (tenancy) =>
      stepTransaction(tenancy, transaction.id, ['processing', 'pending'], { state: 'pending' }),
    )
}

/** Ends a transaction that comes to nothing. Its secret is good for another try, unless a person said no: whoever was turned away has nothing left to ask by. */
async function fail(
  house: House,
  tenantId: string,
  profile: ProfileRecord,
  transaction: TransactionRecord,
  reason: string,
  { isDenied = false }: { isDenied?: boolean } = {},
): Promise<void> {
  await house.work(tenantId, actorOf({ ...transaction, profile }), async ({ tenancy, emitFor }) => {
    const { challenge_hash: challengeHash, spent_hashes: spent } = transaction
    const ended = {
      state: 'refused',
      code: 'request',
      reason,
      confirm_by: null,
      ...(isDenied && challengeHash !== null ? { spent_hashes: [...spent, challengeHash] } : {}),
    } as const
    if (!(await stepTransaction(tenancy, transaction.id, ['processing', 'pending'], ended))) return
    const secret = isDenied || transaction.secret_id === null ? undefined : await findSecret(tenancy, transaction.secret_id)
    if (secret !== undefined && secret.uses_left !== null) await giveUseBack(tenancy, secret.id)
    await tellIntune(tenancy, transaction)
    emitFor(protocolRoom)('refused', { profileId: profile.id, transaction: transaction.key, code: 'request', reason }, transaction.id)
  })
}

/**
 * Writes down a request that was refused before it was taken, so that somebody can see why. What is under way stays as it is. Intune hears of what it vouched for,
 * and of nothing else: strangers must not make us write to it.
 */
export async function refuse(
  { house, tenantId, profile, key, kind, address, by, csr }: About & Partial<Pick<Attempt, 'by' | 'csr'>>,
  { cause, refused }: Refused,
): Promise<Refused> {
  const isVouched = by !== undefined && 'vouched' in by
  await house.work(tenantId, actorOf({ profile, key, address }), async ({ tenancy, emitFor }) => {
    const { now } = tenancy
    if ((await findProfile(tenancy, profile.id)) === undefined) return
    const before = await lockTransactionByKey(tenancy, profile.id, key)
    const restarted = before?.state === 'refused' ? before : undefined
    const record: TransactionRecord = {
      tenant_id: tenantId,
      id: restarted?.id ?? timeOrderedId(now),
      profile_id: profile.id,
      key,
      attempt: randomUUID(),
      kind,
      state: 'refused',
      key_hash: '',
      csr: isVouched && csr !== undefined ? Buffer.from(csr) : null,
      spki: null,
      names: {},
      subject: '',
      secret_id: null,
      renews: null,
      holder_id: null,
      vouched: isVouched,
      challenge_hash: null,
      spent_hashes: [],
      requester_id: profile.owner_id,
      request_id: null,
      certificate_id: null,
      code: cause,
      reason: refused,
      confirm_by: null,
      // Beside what stands, which whoever has it is still answered by.
      superseded: before !== undefined && restarted === undefined,
      address,
      created_at: restarted?.created_at ?? now,
      updated_at: now,
    }
    const isWritten = restarted !== undefined || (await insertTransaction(tenancy, record))
    if (restarted !== undefined) await restartTransaction(tenancy, record)
    // Of what stands Intune has heard, or will.
    if (isWritten && !record.superseded) await tellIntune(tenancy, record)
    emitFor(protocolRoom)('refused', { profileId: profile.id, transaction: key, code: cause, reason: refused }, record.id)
  })
  return { cause, refused }
}

/** Whose actions the log names so. */
export const actorOf = ({ profile, key, address }: { profile: ProfileRecord; key: string; address: string }) => ({
  name: `${protocols[profile.protocol].label} ${key.slice(0, 80)} (${profile.name})`,
  address,
})
