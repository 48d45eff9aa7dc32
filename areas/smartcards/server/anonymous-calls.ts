// What somebody without an account may do at a reader: only what the holder could, with the card in hand. The card proves itself before anything is told of its
// holder and before a try of a secret is counted, so that a client which merely names a serial number learns nothing and keeps nobody out.

import { createHash } from 'node:crypto'
import { anonymous } from '#areas/certificates/rules.ts'
import { findAnonymousSession } from '#areas/portal/session.ts'
import { noVersion } from '#areas/questions/rules.ts'
import { findQuestions, judgeAnswers } from '#areas/questions/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { Call } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, RequestFacts } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { changePin, verifyPin } from '#standards/piv/client.ts'
import { say } from '#standards/say/say.ts'
import { smartcards } from '../contract.ts'
import { agentsOf } from './agents/agents.ts'
import { findCard, readersOf, withCard, type FoundReader } from './agents/readers.ts'
import { refuseWrongPin } from './card-calls.ts'
import { clientConfigOf } from './client-calls.ts'
import { isWithoutPin, provesItself } from './engine/card-proof.ts'
import { unblockCard } from './engine/unblock.ts'
import { guarded } from './guarded.ts'
import { listCurrent } from './operation-store.ts'
import { actorOf, type ActingAtCard } from './policy.ts'
import { presentBareReader } from './presenter.ts'
import { checkPassphrase, tellUnblocked } from './recovery-calls.ts'
import { findBySerial, type CardRecord, type SlotRecord } from './store.ts'

const { calls } = smartcards

type Context = {
  house: House
  request: RequestFacts
  now: Date
  enter(tenantId: string): Promise<void>
  actAs(actor: { userId: string; name: string }): void
}
/** `key` stands for the session where a client of a person stands for the person. */
type Stranger = ActingAtCard & { key: string; until: number }

/** The client belongs to the session, and no person has an id that is made so. */
function keyOf(hash: string): string {
  const hex = createHash('sha256').update(`card client ${hash}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

async function strangerOf({ house, request, now, enter, actAs }: Context, call: Pick<Call, 'faults'>): Promise<Stranger> {
  const session = await findAnonymousSession(house, request, now)
  if (session === undefined) throw faultOfCall(call, 'noSession')
  const { tenantId, hash, expiresAt } = session
  await enter(tenantId)
  actAs({ userId: anonymous.id, name: anonymous.name })
  const viewer = { tenantId, userId: anonymous.id, username: anonymous.name }
  return { house, address: request.address, viewer, key: keyOf(hash), until: expiresAt.getTime() }
}

type InUse = { found: FoundReader; card: CardRecord; holderId: string; slots: SlotRecord[] }

/** The card in the reader, where it is in use by somebody who may sign in. */
async function cardInUse(
  { house, viewer, key }: Stranger,
  call: Pick<Call, 'faults'>,
  cardId: Parameters<typeof findCard>[2],
): Promise<InUse> {
  const found = await findCard(house, key, cardId)
  const known = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const card = await findBySerial(tenancy, found.identity.serial)
    if (card?.status !== 'ISSUED' || card.holder_id === null) return undefined
    const person = await findPerson(tenancy.db, tenancy.tenantId, card.holder_id)
    return person?.enabled === true ? { card, holderId: person.id, slots: await listCurrent(tenancy, [card.id]) } : undefined
  })
  if (known === undefined) throw faultOfCall(call, 'notHere')
  return { found, ...known }
}

/** The same, and the card has proved without its PIN that it is this one. */
async function provedCard(...asked: Parameters<typeof cardInUse>): Promise<InUse> {
  const [, call] = asked
  const inUse = await cardInUse(...asked)
  const slot = inUse.slots.find(isWithoutPin)
  const expected = inUse.card.serial
  const proved =
    slot !== undefined && (await withCard(inUse.found, { says: say`Reading the card`, expected }, (card) => provesItself(card, slot)))
  if (!proved) throw faultOfCall(call, 'notHere')
  return inUse
}

type AnonymousCalls =
  | 'anonymousReaders'
  | 'anonymousTicket'
  | 'anonymousChangePin'
  | 'anonymousQuestions'
  | 'anonymousResetByAnswers'
  | 'anonymousResetByPassphrase'

export const anonymousHandlers: Pick<Handlers<typeof smartcards>, AnonymousCalls> = {
  async anonymousReaders(_input, context) {
    const call = calls.anonymousReaders
    return guarded(call, async () => {
      const { house, key } = await strangerOf(context, call)
      const found = await readersOf(house, key)
      return { readers: await Promise.all(found.map((one) => presentBareReader(house, one))) }
    })
  },

  async anonymousTicket(_input, context) {
    const { house, viewer, key, until } = await strangerOf(context, calls.anonymousTicket)
    const { tenantId, username: person } = viewer
    const ticket = (await agentsOf(house)).makeTicket({ tenantId, homeTenantId: tenantId, userId: key, person, until })
    return { SessionCookie: ticket, GRPCConfig: await clientConfigOf(house) }
  },

  async anonymousChangePin({ card_id: cardId, old_pin: before, new_pin: after }, context) {
    const call = calls.anonymousChangePin
    if (before === after) throw faultOfCall(call, 'samePin')
    return guarded(call, async () => {
      const stranger = await strangerOf(context, call)
      const { found, card, slots } = await cardInUse(stranger, call, cardId)
      const { serial } = card
      const [slot] = slots
      if (slot === undefined) throw faultOfCall(call, 'notHere')
      const { tries, proved } = await withCard(found, { says: say`Changing the PIN`, expected: serial }, async (one) => {
        const changed = await changePin(one, { before, after })
        // It is on record for a card that is this one, and not for a client that says so.
        return { tries: changed, proved: changed.ok && (await verifyPin(one, after)).ok && (await provesItself(one, slot)) }
      })
      refuseWrongPin(call, tries)
      if (!proved) throw faultOfCall(call, 'notHere')
      await stranger.house.work(stranger.viewer.tenantId, actorOf(stranger), async ({ emitFor }) =>
        emitFor(smartcards)('pinChanged', { serial }, serial),
      )
      return {}
    })
  },

  async anonymousQuestions({ card_id: cardId }, context) {
    const call = calls.anonymousQuestions
    return guarded(call, async () => {
      const stranger = await strangerOf(context, call)
      const { holderId } = await provedCard(stranger, call, cardId)
      const { house, viewer } = stranger
      const found = await withTenancy(house, viewer.tenantId, ({ db, tenantId }) => findQuestions(db, tenantId, holderId))
      if (found.version === noVersion) throw faultOfCall(call, 'none')
      return found
    })
  },

  async anonymousResetByAnswers({ card_id: cardId, new_pin: pin, secret_answers: given }, context) {
    const call = calls.anonymousResetByAnswers
    return guarded(call, async () => {
      const stranger = await strangerOf(context, call)
      const { found, card, holderId } = await provedCard(stranger, call, cardId)
      const judged = await judgeAnswers(stranger.house, { tenantId: stranger.viewer.tenantId, userId: holderId }, given)
      if (judged !== 'right') throw faultOfCall(call, judged === 'wrong' ? 'wrongAnswers' : 'paused')
      await unblockCard(stranger, found, card, pin)
      await tellUnblocked(stranger, card, 'unblockedByAnswers')
      return {}
    })
  },

  async anonymousResetByPassphrase({ card_id: cardId, pin, passphrase }, context) {
    const call = calls.anonymousResetByPassphrase
    return guarded(call, async () => {
      const stranger = await strangerOf(context, call)
      const { found, card } = await provedCard(stranger, call, cardId)
      await checkPassphrase(stranger, call, card.id, passphrase)
      await unblockCard(stranger, found, card, pin)
      await tellUnblocked(stranger, card, 'unblockedByPassphrase')
      return {}
    })
  },
}
