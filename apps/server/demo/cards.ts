// The demonstration's card office: a template of cards with a face, requests in each state, a batch that is done and one that stopped at a card of which nobody
// knows, and a card in each status. No card exists: what a printer or a reader once said stands here, and no certificate is on any of them.

import { randomUUID } from 'node:crypto'
import { cardrequests } from '#areas/cardrequests/contract.ts'
import { endRequests, insertRequests } from '#areas/cardrequests/server/store.ts'
import { FaceDesign, printing } from '#areas/printing/contract.ts'
import { nameOnCard, type PrintState } from '#areas/printing/rules.ts'
import { insertBatch, insertPrinted, putFace, updateBatch, updatePrinted } from '#areas/printing/server/store.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import type { CardStatus } from '#areas/smartcards/rules.ts'
import { insertCard, insertTemplate, updateCard } from '#areas/smartcards/server/store.ts'
import { certificateClasses } from '#areas/templates/rules.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000
const printer = 'Card printer, reception'
const most = { open: 12, ended: 4 } as const

const line = (y: number, height: number, text: string, colour: string) =>
  ({ kind: 'text', x: 6, y, width: 56, height, text, colour }) as const
const face = FaceDesign.parse({
  front: {
    background: '#ffffff',
    elements: [
      { kind: 'box', x: 0, y: 0, width: 85.6, height: 9, colour: '#1f4fbf' },
      { kind: 'photo', x: 6, y: 14, width: 24, height: 32 },
      { ...line(20, 6, nameOnCard, '#101828'), x: 34, width: 47 },
      { ...line(29, 4, '{title}', '#475467'), x: 34, width: 47, when: 'title' },
      { ...line(42, 4, '{orgOid}', '#475467'), x: 34, width: 47, when: 'orgOid' },
    ],
  },
  back: {
    background: '#f2f4f7',
    elements: [
      { kind: 'qr', x: 55, y: 8, width: 26, height: 26, text: '{userName}' },
      { kind: 'barcode', x: 4, y: 39, width: 77, height: 10, text: '{userName}' },
    ],
  },
})

/** What became of the cards of a batch, with what the printer said. */
const batches: readonly { ago: number; state: 'done' | 'stopped'; cards: readonly (readonly [PrintState, string?])[] }[] = [
  { ago: 9, state: 'done', cards: [['printed'], ['printed'], ['deactivated'], ['printed'], ['skipped']] },
  {
    ago: 1,
    state: 'stopped',
    cards: [['printed'], ['failed', 'media-jam'], ['unknown', 'The printer did not answer'], ['waiting'], ['waiting']],
  },
]

/** Of the numbers that the demonstration's stock has, so that both tell the same of each card. */
const planted: readonly { serial: string; status: CardStatus }[] = [
  { serial: 'NW-00401', status: 'ISSUED' },
  { serial: 'NW-00402', status: 'SUSPENDED' },
  { serial: 'NW-00403', status: 'LOST' },
  { serial: 'NW-00404', status: 'REVOKED' },
  { serial: 'NW-00405', status: 'UNKNOWN' },
  { serial: 'NW-00411', status: 'DESTROYED' },
  { serial: 'NW-00424', status: 'UNREGISTERED' },
  { serial: 'NW-00426', status: 'REGISTERED' },
  { serial: 'NW-00427', status: 'ASSIGNED' },
]

export async function writeCards(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  const now = house.now()
  for (const { id: tenantId, members, templates } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const people = members.filter((member) => member !== administrator && member.activated)
    const forPeople = [...templates.values()].find(
      ({ accessLevel, enabled, rules, class: name }) =>
        enabled &&
        accessLevel === 'OPERATOR' &&
        rules.keys.includes('P-256') &&
        certificateClasses[name].entities.some((entity) => entity === 'user'),
    )
    if (administrator === undefined || forPeople === undefined) continue
    const actor = { userId: administrator.id, name: administrator.username }
    const then = (days: number) => houseAt(house, new Date(now.getTime() - days * day))
    const cardTemplateId = randomUUID()
    await then(60).work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const slots = [{ slot: '9A' as const, algorithm: 'P-256' as const, templateId: forPeople.id }]
      await insertTemplate(tenancy, cardTemplateId, { name: 'Staff card', slots, validity_months: 36, enabled: true })
      emitFor(smartcards)('templateAdded', { templateId: cardTemplateId, name: 'Staff card' }, cardTemplateId)
      await putFace(tenancy, cardTemplateId, face, undefined)
      emitFor(printing)('faceChanged', { cardTemplateId }, cardTemplateId)
    })
    await then(12).work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const emit = emitFor(cardrequests)
      const asked = people.slice(0, most.open + most.ended).map(({ id }) => ({
        id: randomUUID(),
        user_id: id,
        card_template_id: cardTemplateId,
        due_at: new Date(now.getTime() + (2 + chance.below(20)) * day),
        deliver_to: chance.pick(['Reception', 'Gate 3', 'Head office, desk 2']),
        by_name: administrator.username,
      }))
      if (asked.length === 0) return
      for (const { id, user_id: userId } of await insertRequests(tenancy, asked))
        emit('requested', { requestId: id, userId, cardTemplateId }, id)
      const over = asked.slice(most.open)
      for (const [at, { id, user_id: userId }] of over.entries()) {
        const isWithdrawn = at === 0
        await endRequests(tenancy, [id], isWithdrawn ? 'withdrawn' : 'fulfilled')
        emit(isWithdrawn ? 'withdrawn' : 'fulfilled', { requestId: id, userId }, id)
      }
    })
    for (const [at, { ago, state, cards }] of batches.entries())
      await then(ago).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const emit = emitFor(printing)
        const batchId = randomUUID()
        const rows = people.slice(at * cards.length, (at + 1) * cards.length).map(({ id: userId }, n) => ({
          id: randomUUID(),
          batch_id: batchId,
          n,
          user_id: userId,
          card_template_id: cardTemplateId,
          card_serial: '',
          request_id: null,
          photo_request_id: null,
        }))
        if (rows.length === 0) return
        await insertBatch(tenancy, batchId, administrator.username)
        await insertPrinted(tenancy, rows)
        emit('batchAdded', { batchId, cards: rows.length }, batchId)
        await updateBatch(tenancy, batchId, { state, printer })
        emit('batchStarted', { batchId, printer }, batchId)
        for (const [n, { id, user_id: userId }] of rows.entries()) {
          const [became = 'waiting', says = ''] = cards[n] ?? []
          if (became === 'waiting') continue
          await updatePrinted(tenancy, id, { state: became, says, printer, attempt: 1, job_id: 40 + at * 10 + n })
          if (became === 'skipped') {
            emit('skipped', { printedCardId: id }, id)
            continue
          }
          emit('sent', { printedCardId: id, userId, printer }, id)
          emit('ended', { printedCardId: id, userId, state: became === 'deactivated' ? 'printed' : became }, id)
          if (became === 'deactivated') emit('deactivated', { printedCardId: id }, id)
        }
        if (state === 'stopped') emit('batchStopped', { batchId }, batchId)
      })
    const holders = people.slice(most.open + most.ended)
    for (const [at, { serial, status }] of planted.entries()) {
      const holder = holders[at % Math.max(1, holders.length)]
      if (holder === undefined) break
      await then(40 - at).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const emit = emitFor(smartcards)
        const id = randomUUID()
        const chip = { atr: '3BFD1300008131FE158073C021C057597562694B657940', guid: '', kind: 'chip', firmware: '' }
        const seen = { read_at: tenancy.now, added_at: tenancy.now, management_algorithm: 'AES-192' }
        await insertCard(tenancy, { id, serial, ...chip, ...seen, status: 'REGISTERED' })
        emit('registered', { cardId: id, serial }, id)
        if (status === 'REGISTERED') return
        const told = { cardId: id, serial }
        const isOver = status === 'UNREGISTERED' || status === 'DESTROYED'
        const expires = new Date(now)
        expires.setUTCMonth(expires.getUTCMonth() + 36)
        await updateCard(tenancy, id, {
          status,
          ...(isOver ? {} : { holder_id: holder.id, card_template_id: cardTemplateId, assigned_at: tenancy.now }),
          ...(isOver || status === 'ASSIGNED' ? {} : { expires_at: expires }),
          ...(status === 'SUSPENDED'
            ? { suspended_at: tenancy.now, suspended_by: administrator.username, suspend_reason: 'Left at home' }
            : {}),
        })
        emit('assigned', { ...told, userId: holder.id }, id)
        if (status === 'ASSIGNED') return
        emit('issued', { ...told, userId: holder.id, certificateIds: [] }, id)
        if (status === 'SUSPENDED') emit('suspended', { ...told, reason: 'Left at home' }, id)
        if (status === 'LOST') emit('lost', { ...told, reason: '' }, id)
        if (status === 'REVOKED') emit('revoked', { ...told, reason: 'affiliationChanged' }, id)
        if (isOver) emit('unregistered', told, id)
      })
    }
  }
}
