// What is done with a card in a reader of the caller.

import { randomUUID } from 'node:crypto'
import { faultOfCall } from '#core/server/fault.ts'
import type { Handlers, StreamHandlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { changePin, managementAlgorithm, readObject, verifyPin, type Tries } from '#standards/piv/client.ts'
import { objects, slots } from '#standards/piv/identifiers.ts'
import { parseCertificate, parseChuid } from '#standards/piv/objects.ts'
import { say } from '#standards/say/say.ts'
import { smartcards } from '../contract.ts'
import type { CardId } from '../shapes.ts'
import { findCard, withCard } from './agents/readers.ts'
import { unblockCard } from './engine/unblock.ts'
import { guarded } from './guarded.ts'
import { actorOf, isBeyond, mayHandle, type Acting } from './policy.ts'
import { findBySerial, insertCard, updateCard } from './store.ts'

export async function register(acting: Acting, cardId: CardId): Promise<{ cardId: string; serial: string; status: 'REGISTERED' }> {
  const { house, viewer } = acting
  const call = smartcards.calls.register
  return guarded(call, async () => {
    const found = await findCard(house, viewer.userId, cardId)
    const read = await withCard(
      found,
      { says: say`Registering the card (${viewer.username})`, expected: found.identity.serial },
      async (card, identity) => {
        const chuid = await readObject(card, objects.chuid).catch(() => undefined)
        return {
          ...identity,
          guid: chuid === undefined ? '' : guidOf(chuid),
          algorithm: (await managementAlgorithm(card)) ?? '',
        }
      },
    )
    let id: string = randomUUID()
    await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      const isNew = await insertCard(tenancy, {
        id,
        serial: read.serial,
        atr: found.reader.atr,
        guid: '',
        kind: read.kind,
        firmware: read.firmware ?? '',
        status: 'REGISTERED',
        management_algorithm: read.algorithm,
        read_at: tenancy.now,
        added_at: tenancy.now,
      })
      const before = isNew ? undefined : await findBySerial(tenancy, read.serial)
      if (before !== undefined && before.status !== 'UNREGISTERED') throw faultOfCall(call, 'alreadyRegistered')
      // What is known of its keys stands: it may not have been there when it was unregistered.
      if (before !== undefined) {
        id = before.id
        await updateCard(tenancy, id, { status: 'REGISTERED', read_at: tenancy.now })
      }
      emitFor(smartcards)('registered', { cardId: id, serial: read.serial }, id)
    })
    return { cardId: id, serial: read.serial, status: 'REGISTERED' as const }
  })
}

function guidOf(chuid: Uint8Array): string {
  try {
    return Buffer.from(parseChuid(chuid).guid).toString('hex')
  } catch {
    // What another made may be anything.
    return ''
  }
}

/** Keeps what the card says of its PIN, so that a list can say that it is blocked: of one's own card, or at the desk. A client only names a serial number. */
export async function notePin({ house, viewer }: Pick<Acting, 'house' | 'viewer'>, serial: string, tries: Tries): Promise<void> {
  const left = tries.ok ? null : tries.left
  await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const card = await findBySerial(tenancy, serial)
    if (card !== undefined && card.pin_left !== left && mayHandle(viewer, card)) await updateCard(tenancy, card.id, { pin_left: left })
  })
}

/** A wrong one has cost the card a try. */
export function refuseWrongPin(
  call: typeof smartcards.calls.changePin | typeof smartcards.calls.checkPin | typeof smartcards.calls.anonymousChangePin,
  tries: Tries,
): void {
  if (!tries.ok) throw faultOfCall(call, tries.left === 0 ? 'pinBlocked' : 'wrongPin', { params: { left: tries.left } })
}

type CardCalls = 'register' | 'changePin' | 'checkPin' | 'unblock' | 'certificateStore'

export const cardCalls: Pick<Handlers<typeof smartcards>, CardCalls> = {
  register: ({ card_id: cardId }, { house, viewer, request: { address } }) => register({ house, viewer, address }, cardId),

  async changePin({ card_id: cardId, old_pin: before, new_pin: after }, { house, viewer, request: { address } }) {
    const call = smartcards.calls.changePin
    if (before === after) throw faultOfCall(call, 'samePin')
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const { serial } = found.identity
      const tries = await withCard(found, { says: say`Changing the PIN`, expected: serial }, (card) => changePin(card, { before, after }))
      await notePin({ house, viewer }, serial, tries)
      refuseWrongPin(call, tries)
      await house.work(viewer.tenantId, actorOf({ house, viewer, address }), async ({ emitFor }) =>
        emitFor(smartcards)('pinChanged', { serial }, serial),
      )
      return {}
    })
  },

  async checkPin({ card_id: cardId, pin }, { house, viewer }) {
    const call = smartcards.calls.checkPin
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const expected = found.identity.serial
      const tries = await withCard(found, { says: say`Checking the PIN`, expected }, (card) => verifyPin(card, pin))
      await notePin({ house, viewer }, expected, tries)
      refuseWrongPin(call, tries)
      return {}
    })
  },

  async unblock({ card_id: cardId, new_pin: pin }, { house, viewer, request: { address } }) {
    const call = smartcards.calls.unblock
    const acting = { house, viewer, address }
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const { serial } = found.identity
      const card = await withTenancy(house, viewer.tenantId, async (tenancy) => {
        const row = await findBySerial(tenancy, serial)
        if (row === undefined) throw faultOfCall(call, 'unregistered')
        if (row.holder_id !== null && (await isBeyond(house, tenancy, viewer, row.holder_id))) throw faultOfCall(call, 'beyond')
        return row
      })
      await unblockCard(acting, found, card, pin)
      await house.work(viewer.tenantId, actorOf(acting), async ({ emitFor }) =>
        emitFor(smartcards)('unblocked', { cardId: card.id, serial }, card.id),
      )
      return {}
    })
  },

  async certificateStore({ serial, readerName }, { house, viewer }) {
    return guarded(smartcards.calls.certificateStore, async () => {
      const found = await findCard(house, viewer.userId, {
        ...(serial === undefined ? {} : { serial }),
        ...(readerName === undefined ? {} : { readerName }),
      })
      return withCard(found, { says: say`Reading certificates`, expected: found.identity.serial }, async (card) => {
        const certificates: { slot: string; pem: string }[] = []
        for (const { name, object } of slots.slice(0, 4)) {
          const content = await readObject(card, object)
          if (content !== undefined) certificates.push({ slot: name, pem: encodePem('CERTIFICATE', parseCertificate(content)) })
        }
        return { certificates }
      })
    })
  },
}

export const registerStream: StreamHandlers<typeof smartcards>['register'] = async function* (
  { card_id: cardId },
  { house, viewer, request: { address } },
) {
  if (viewer === undefined) return
  yield { step: { n: 1, name: 'Read the card', state: 'running' } }
  const { cardId: id } = await register({ house, viewer, address }, cardId)
  yield { step: { n: 1, name: 'Read the card', state: 'done' } }
  yield { done: { cardId: id, says: 'Registered Smartcard' } }
}
