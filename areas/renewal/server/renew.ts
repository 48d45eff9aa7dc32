// One certificate's renewal, from the claim to what came of it. Whoever acts first claims: of the job on two servers and a person's two clicks one goes
// on. What a crash leaves claimed the job takes up again; whether its request was made by then, the request itself says.

import type { RenewalRefusal } from '#areas/certificates/renewal-rules.ts'
import {
  checkRenewal,
  renewalRequestOf,
  requestRenewal,
  type KeyOrigin,
  type Renewable,
  type RenewalKey,
  type RenewalOutcome,
  type RenewalRequest,
} from '#areas/certificates/renewing.ts'
import type { Template } from '#areas/templates/service.ts'
import { rightsOf } from '#areas/users/rights.ts'
import { findPerson, type Person } from '#areas/users/service.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { storable } from '#core/server/storable.ts'
import { say } from '#standards/say/say.ts'
import { renewal } from '../contract.ts'
import { keysFor, takesNewKey, type KeyFacts } from '../key-choices.ts'
import { nextAttempt, type RenewalMode } from '../rules.ts'
import { job, jobName, noteFor, tellOf, tellRenewed } from './mail.ts'
import { servesSelf } from './policy.ts'
import { insertRenewal, moveRenewal, type Change, type RenewalRecord } from './store.ts'

export type Certificate = Renewable & KeyOrigin

/** A template says today how its certificates are renewed; of one that is gone, the certificate remembers. */
export const modeOf = (certificate: Pick<Renewable, 'renewal_mode'>, template: Template | undefined): RenewalMode =>
  template?.extensions.renewalMode ?? modeNamed(certificate.renewal_mode)

const modeNamed = (name: string): RenewalMode =>
  name === 'MANUAL' || name === 'AUTOMATIC_SAME_KEY' || name === 'AUTOMATIC_NEW_KEY' ? name : 'NONE'

export const keyFactsOf = ({ madeHere, keyArchived }: Certificate, template: Template | undefined, mode: RenewalMode): KeyFacts => ({
  mode,
  madeHere,
  keyArchived,
  archived: template?.extensions.keyArchival === true,
})

/**
 * As whom the job asks. For a person's own certificate the template's mode is leave enough, unless it is one for administrators; a device's is asked for by
 * whoever asked for it once, with what that person may do today.
 */
export async function askerFor(
  db: Database,
  tenantId: string,
  certificate: Renewable,
  template: Template | undefined,
): Promise<Viewer | { refused: RenewalRefusal }> {
  // A disabled account is refused where its certificate is prepared, with the words for whoever looks.
  const as = async (person: Person, more: readonly 'certSigningRequestUser'[]): Promise<Viewer> => {
    const rights = await rightsOf(db, { userId: person.id, homeTenantId: tenantId }, tenantId)
    const base = { tenantId, homeTenantId: tenantId, via: 'job' as const, credentialId: certificate.id }
    return {
      ...base,
      userId: person.id,
      username: jobName,
      permission: { ...noPermission, api: [...(rights?.permission.api ?? []), ...more] },
    }
  }
  const refused = (says: string) => ({ refused: { kind: 'holder' as const, says } })
  const holder = certificate.holder_user_id === null ? undefined : await findPerson(db, tenantId, certificate.holder_user_id)
  const viewer = holder === undefined ? undefined : await as(holder, ['certSigningRequestUser'])
  if (viewer !== undefined && (template?.accessLevel !== 'ADMINISTRATOR' || viewer.permission.api.includes('manageCAs'))) return viewer
  const requester = certificate.requester_id === null ? undefined : await findPerson(db, tenantId, certificate.requester_id)
  if (requester === undefined)
    return refused(say`${certificate.requester || 'Whoever'}, who asked for it, has no account here: somebody else must ask for it`)
  if (!requester.enabled)
    return refused(say`The account of ${certificate.requester}, who asked for it, is disabled: somebody else must ask for it`)
  return as(requester, [])
}

/** As whom a person asks. */
export function askingAs(viewer: Viewer, { holder_user_id: holderId }: Pick<Renewable, 'holder_user_id'>): Viewer {
  const { permission } = viewer
  return holderId === viewer.userId && servesSelf(viewer)
    ? { ...viewer, permission: { ...permission, api: [...permission.api, 'certSigningRequestUser'] } }
    : viewer
}

type Asking = { mode: RenewalMode; askedBy: string }

/** Begins an attempt. Undefined where another is standing. */
export async function begin(
  house: House,
  tenantId: string,
  certificate: Renewable,
  { mode, askedBy, tries }: Asking & { tries: number },
): Promise<RenewalRecord | undefined> {
  const now = house.now()
  const record: RenewalRecord = {
    tenant_id: tenantId,
    id: timeOrderedId(now),
    certificate_id: certificate.id,
    name: certificate.name,
    template_name: certificate.template_name,
    not_after: certificate.not_after,
    mode,
    state: 'asking',
    reason: '',
    tries,
    request_id: null,
    successor_id: null,
    asked_by: askedBy,
    begun_at: now,
    updated_at: now,
    told_at: null,
    next_attempt_at: null,
  }
  return (await inTenant(house.database, tenantId, (db) => insertRenewal(db, record))) ? record : undefined
}

/** Takes up one that stands. Undefined where somebody else was first. */
export async function takeUp(house: House, seen: RenewalRecord, { mode, askedBy }: Asking): Promise<RenewalRecord | undefined> {
  // Where the template says otherwise by now, what was told is true no more.
  const change = {
    state: 'asking' as const,
    mode,
    tries: seen.tries + 1,
    asked_by: askedBy,
    updated_at: house.now(),
    next_attempt_at: null,
    ...(seen.mode === mode ? {} : { told_at: null }),
  }
  return (await inTenant(house.database, seen.tenant_id, (db) => moveRenewal(db, seen, change))) ? { ...seen, ...change } : undefined
}

/** A row that moves on, and in whose name. */
type Moving = { house: House; row: RenewalRecord; actor: Actor }

/** A claimed attempt, and in whose name it goes on. */
export type Claimed = Moving & { certificate: Certificate; template: Template | undefined }

/** What the job does with a claimed attempt: it asks, or tells the holder to. Not inside a transaction. */
export const proceed = (claimed: Claimed): Promise<RenewalRecord> => {
  const { row, certificate } = claimed
  return row.mode === 'MANUAL' || (row.mode === 'AUTOMATIC_NEW_KEY' && !certificate.madeHere) ? tellHolder(claimed) : askFor(claimed)
}

async function askFor(claimed: Claimed): Promise<RenewalRecord> {
  const { house, row, certificate, template } = claimed
  const asker = await findAsker(claimed)
  if ('settled' in asker) return asker.settled
  const key = row.mode === 'AUTOMATIC_SAME_KEY' ? 'same' : 'made'
  const outcome = await requestRenewal(house, orderOf(claimed, asker.viewer, key))
  const onlyTheKey =
    'refused' in outcome && outcome.refused.kind === 'key' && key === 'same' && takesNewKey(keyFactsOf(certificate, template, row.mode))
  return onlyTheKey ? tellHolder(claimed) : settle(claimed, outcome)
}

/** Its holder is told to renew it, or to send the request of a new key where there is no other way. Not inside a transaction. */
export async function tellHolder(claimed: Claimed): Promise<RenewalRecord> {
  const { house, row, certificate, template } = claimed
  const asker = await findAsker(claimed)
  if ('settled' in asker) return asker.settled
  const { viewer } = asker
  const refused = await checkRenewal(house, orderOf(claimed, viewer, 'same'))
  // The old key may be good for nothing any more: a new one is what is asked for, where there can be one.
  const keys = keysFor(keyFactsOf(certificate, template, row.mode)).filter((key) => refused === undefined || key !== 'same')
  if (refused !== undefined && (refused.kind !== 'key' || keys.length === 0)) return settle(claimed, { refused })
  const turn = keys.every((key) => key === 'brought') ? 'awaitingKey' : 'awaitingHolder'
  const now = house.now()
  // What goes by itself does so once its key will do again.
  const again = row.mode === 'AUTOMATIC_SAME_KEY' ? nextAttempt(row.tries, now) : null
  return change(
    claimed,
    { state: turn, reason: '', next_attempt_at: again, ...(row.told_at === null ? { told_at: now } : {}) },
    async (db, emit) => {
      if (row.told_at !== null) return
      await tell(claimed)(db, house, certificate, { tenantId: row.tenant_id, turn, personId: viewer.userId })
      emit('told', { renewalId: row.id, certificateId: certificate.id, mode: row.mode }, certificate.id)
    },
  )
}

/** As whom it is asked for. Settled where its request is there already, or nobody can ask. */
async function findAsker(claimed: Claimed): Promise<{ viewer: Viewer } | { settled: RenewalRecord }> {
  const { house, row, certificate, template } = claimed
  const { tenant_id: tenantId } = row
  const request = await inTenant(house.database, tenantId, (db) => renewalRequestOf(db, tenantId, certificate.id))
  if (request !== undefined && isOpen(request)) return { settled: await settle(claimed, request) }
  const viewer = await inTenant(house.database, tenantId, (db) => askerFor(db, tenantId, certificate, template))
  return 'refused' in viewer ? { settled: await settle(claimed, viewer) } : { viewer }
}

const orderOf = ({ row, certificate }: Claimed, viewer: Viewer, key: RenewalKey) => ({
  tenantId: row.tenant_id,
  certificateId: certificate.id,
  key,
  viewer,
  by: jobName,
  comment: commentOf(certificate, key),
})

export const commentOf = (certificate: Renewable, key: RenewalKey): string =>
  `Renewal of ${certificate.serial_hex} with ${key === 'same' ? 'the same key' : 'a new key'}`

export const isHoldersTurn = ({ state }: Pick<RenewalRecord, 'state'>): boolean => state === 'awaitingHolder' || state === 'awaitingKey'

/** Still on its way, or arrived. */
export const isOpen = ({ stage }: RenewalRequest): boolean => stage !== 'denied' && stage !== 'withdrawn' && stage !== 'failed'

/** Writes down what became of an attempt, once, and tells who must know. */
export async function settle(claimed: Moving & { certificate: Renewable }, outcome: RenewalOutcome): Promise<RenewalRecord> {
  const { house, row, certificate } = claimed
  const now = house.now()
  const about = { renewalId: row.id, certificateId: row.certificate_id }
  if ('refused' in outcome) {
    const reason = storable(outcome.refused.says)
    return change(claimed, { state: 'refused', reason, next_attempt_at: nextAttempt(row.tries, now) }, async (_db, emit) => {
      // Each day the same is told once.
      if (row.reason !== reason) emit('refused', { ...about, reason }, row.certificate_id)
    })
  }
  const { requestId, stage, certificateId, error, requesterId, collectorId } = outcome
  const asked = { ...about, requestId }
  const news = row.request_id !== requestId
  if (stage === 'issued' && certificateId !== undefined)
    return change(claimed, { state: 'renewed', reason: '', request_id: requestId, successor_id: certificateId }, async (db, emit) => {
      emit('renewed', { ...asked, successorId: certificateId }, row.certificate_id)
      if (row.asked_by !== jobName)
        await tellRenewed(db, house, certificate, { tenantId: row.tenant_id, by: row.asked_by, requesterId, successorId: certificateId })
    })
  if (stage === 'failed')
    return change(
      claimed,
      { state: 'failed', reason: error, request_id: requestId, next_attempt_at: nextAttempt(row.tries, now) },
      async (_db, emit) => emit('failed', { ...asked, reason: error }, row.certificate_id),
    )
  if (stage === 'denied' || stage === 'withdrawn')
    return change(claimed, { state: 'denied', reason: error, request_id: requestId }, async (_db, emit) =>
      emit('denied', asked, row.certificate_id),
    )
  if (row.state === 'waiting' && !news && row.reason === error) return row
  return change(claimed, { state: 'waiting', reason: error, request_id: requestId }, async (db, emit) => {
    if (!news) return
    emit('asked', { ...asked, mode: row.mode }, row.certificate_id)
    if (stage === 'awaitingKey')
      await tell(claimed)(db, house, certificate, { tenantId: row.tenant_id, turn: 'collect', requestId, personId: collectorId })
  })
}

/** What a person asks for is told at once; what the job asks for goes into the letter of the day. */
const tell = ({ actor }: Moving) => (actor === job ? noteFor : tellOf)

type RenewalEmit = Emit<typeof renewal>

/** Moves the row on, unless somebody has by now; then what belongs to the move is left to them. */
async function change(
  { house, row, actor }: Moving,
  to: Change,
  also: (db: Database, emit: RenewalEmit) => Promise<void>,
): Promise<RenewalRecord> {
  const whole = { updated_at: house.now(), ...to }
  await house.work(row.tenant_id, actor, async ({ db, emitFor }) => {
    if (!(await moveRenewal(db, row, whole))) return
    await also(db, emitFor(renewal))
  })
  return { ...row, ...whole }
}

/** The job's: not its turn, it is looked at again after a day. */
export const postpone = (house: House, row: RenewalRecord): Promise<RenewalRecord> =>
  change(
    { house, row, actor: job },
    { next_attempt_at: nextAttempt(Number.POSITIVE_INFINITY, house.now()), updated_at: row.updated_at },
    async () => {},
  )

/** The job's: the certificate ended, or was revoked, while its renewal waited for somebody. The time stays that of the last try. */
export const lapse = (house: House, row: RenewalRecord, reason = row.reason): Promise<RenewalRecord> =>
  change({ house, row, actor: job }, { state: 'lapsed', reason, next_attempt_at: null, updated_at: row.updated_at }, async (_db, emit) =>
    emit('lapsed', { renewalId: row.id, certificateId: row.certificate_id }, row.certificate_id),
  )
