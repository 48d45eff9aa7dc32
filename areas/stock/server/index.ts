import { randomUUID } from 'node:crypto'
import { smartcards } from '#areas/smartcards/contract.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import { offer } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import { on, serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { stock } from '../contract.ts'
import { lyingStates, mostAtOnce, mostNamed, partsOf, rangeOf, type StockState, type surplusKinds } from '../rules.ts'
import {
  countByPlace,
  deleteCards,
  deletePlace,
  findCards,
  findPlace,
  insertCards,
  insertCount,
  insertPlace,
  isInUse,
  lastCounts,
  listLying,
  listPlaces,
  lockCards,
  lockPlace,
  pageOfCounts,
  pageOfRanges,
  releaseCustodian,
  updateCards,
  updatePlace,
  type CountRecord,
} from './store.ts'

const presentCount = (row: CountRecord) => ({
  id: row.id,
  placeName: row.place_name,
  by: row.by_name,
  at: row.at.toISOString(),
  expected: row.expected,
  found: row.found,
  missing: row.missing,
  surplus: row.surplus,
})

const isPerson = async ({ db, tenantId }: Tenancy, id: string | undefined): Promise<boolean> =>
  id === undefined || (await findPeople(db, tenantId, [id])).length > 0

/** Notes what the card desk did to a card that is in stock. */
const follow = (house: House, tenantId: string, serial: string, state: StockState): Promise<void> =>
  house.work(tenantId, { name: 'Stock' }, async ({ tenancy, emitFor }) => {
    const [card] = await lockCards(tenancy, [serial])
    // What was destroyed is not with anybody again: a number that turns up all the same is a matter for a count.
    if (card === undefined || card.state === state || card.state === 'destroyed') return
    await updateCards(tenancy, [serial], { state })
    emitFor(stock)('followed', { serial, state })
  })

/** The serial numbers of lines that are numbers or ranges. */
function serialsOf(
  lines: readonly string[],
  fault: (code: 'badLine' | 'tooMany', detail?: { params: Record<string, string> }) => never,
): Set<string> {
  const serials = new Set<string>()
  let named = 0
  for (const line of lines) {
    const [first = '', last = first, ...rest] = line.split('..').map((part) => part.trim())
    if (rest.length > 0 || first === '') fault('badLine', { params: { line } })
    const cards = rangeOf(first, last) ?? fault('badLine', { params: { line } })
    // Those named twice count too, because each line is work.
    named += cards.length
    if (named > mostAtOnce) fault('tooMany')
    for (const { serial } of cards) serials.add(serial)
  }
  return serials
}

export default serve(
  stock,
  {
    async search(question, { tenancy }) {
      const names = new Map((await listPlaces(tenancy)).map(({ id, name }) => [id, name]))
      const { rows, total } = await pageOfRanges(tenancy, question)
      return {
        total,
        rows: rows.map(({ place_id: placeId, changed_at: changedAt, ...row }) => ({
          ...row,
          placeId,
          placeName: names.get(placeId) ?? '',
          changedAt: changedAt.toISOString(),
        })),
      }
    },

    async takeIn({ first, last = first, placeId }, { tenancy, emit, fault }) {
      if (partsOf(first) === undefined) fault('noNumber')
      const cards = rangeOf(first, last) ?? fault('badRange')
      if ((await lockPlace(tenancy, placeId)) === undefined) fault('unknownPlace')
      const [known] = await findCards(
        tenancy,
        cards.map(({ serial }) => serial),
      )
      if (known !== undefined) fault('known', { params: { serial: known.serial } })
      const added = await insertCards(tenancy, placeId, cards)
      // Somebody took the same cards in at the same moment.
      if (added < cards.length) fault('known', { params: { serial: first } })
      emit('takenIn', { first, last, placeId, count: added }, placeId)
      return { added }
    },

    async takeOut({ first, last, reason }, { tenancy, emit, fault }) {
      const serials = (rangeOf(first, last) ?? fault('badRange')).map(({ serial }) => serial)
      const cards = await lockCards(tenancy, serials)
      const known = new Set(cards.map(({ serial }) => serial))
      const unknown = serials.find((serial) => !known.has(serial))
      if (unknown !== undefined) fault('missingCard', { params: { serial: unknown } })
      const used = cards.find(({ state }) => state !== 'blank')
      if (used !== undefined) fault('notBlank', { params: { serial: used.serial } })
      await deleteCards(tenancy, serials)
      emit('takenOut', { first, last, count: serials.length, reason }, cards[0]?.place_id)
      return { removed: serials.length }
    },

    async move({ first, last, placeId, state, reason }, { tenancy, emit, fault }) {
      const serials = (rangeOf(first, last) ?? fault('badRange')).map(({ serial }) => serial)
      if (state === 'destroyed' && reason === '') fault('reasonNeeded')
      if ((await lockPlace(tenancy, placeId)) === undefined) fault('unknownPlace')
      const cards = await lockCards(tenancy, serials)
      const known = new Set(cards.map(({ serial }) => serial))
      const unknown = serials.find((serial) => !known.has(serial))
      if (unknown !== undefined) fault('missingCard', { params: { serial: unknown } })
      const out = cards.find((card) => card.state === 'issued')
      if (out !== undefined) fault('withPerson', { params: { serial: out.serial } })
      const gone = cards.find((card) => card.state === 'destroyed')
      if (gone !== undefined) fault('gone', { params: { serial: gone.serial } })
      await updateCards(tenancy, serials, { place_id: placeId, ...(state === undefined ? {} : { state }) })
      const body = { first, last, placeId, count: serials.length, reason, ...(state === undefined ? {} : { state }) }
      emit('moved', body, placeId)
      return { moved: serials.length }
    },

    async places(_input, { tenancy }) {
      const rows = await listPlaces(tenancy)
      const ids = rows.flatMap(({ custodian_id: id }) => id ?? [])
      const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, [...new Set(ids)])).map((person) => [person.id, person]))
      const counts = await countByPlace(tenancy)
      const counted = new Map((await lastCounts(tenancy)).map(({ place_id: id, at }) => [id, at]))
      const countOf = (id: string, state: StockState) => counts.find((one) => one.place_id === id && one.state === state)?.count ?? 0
      return {
        places: rows.map(({ id, name, custodian_id: custodianId }) => {
          const person = people.get(custodianId ?? '')
          const at = counted.get(id)
          return {
            id,
            name,
            ...(person === undefined ? {} : { custodian: { id: person.id, name: fullName(person) } }),
            blank: countOf(id, 'blank'),
            returned: countOf(id, 'returned'),
            ...(at === undefined ? {} : { countedAt: at.toISOString() }),
          }
        }),
      }
    },

    async addPlace({ name, custodianId }, { tenancy, emit, fault }) {
      if (!(await isPerson(tenancy, custodianId))) fault('unknownCustodian')
      const id = randomUUID()
      await insertPlace(tenancy, { id, name, custodian_id: custodianId ?? null })
      emit('placeAdded', { placeId: id, name, ...(custodianId === undefined ? {} : { custodianId }) }, id)
      return { id }
    },

    async changePlace({ id, name, custodianId }, { tenancy, emit, fault }) {
      if ((await lockPlace(tenancy, id)) === undefined) fault('missing')
      if (!(await isPerson(tenancy, custodianId))) fault('unknownCustodian')
      await updatePlace(tenancy, { id, name, custodian_id: custodianId ?? null })
      emit('placeChanged', { placeId: id, name, ...(custodianId === undefined ? {} : { custodianId }) }, id)
      return {}
    },

    async removePlace({ id }, { tenancy, emit, fault }) {
      const { name } = (await lockPlace(tenancy, id)) ?? fault('missing')
      if (await isInUse(tenancy, id)) fault('inUse')
      await deletePlace(tenancy, id)
      emit('placeRemoved', { placeId: id, name }, id)
      return {}
    },

    async count({ placeId, found: lines }, { tenancy, viewer, emit, fault }) {
      const place = (await findPlace(tenancy, placeId)) ?? fault('unknownPlace')
      const found = serialsOf(lines, fault)
      const lying = (await listLying(tenancy, placeId, lyingStates)).map(({ serial }) => serial)
      const expected = new Set(lying)
      const missing = lying.filter((serial) => !found.has(serial))
      const over = [...found].filter((serial) => !expected.has(serial))
      const known = new Map((await findCards(tenancy, over)).map((card) => [card.serial, card.state]))
      const surplus = over.map((serial) => ({ serial, why: whyOver(known.get(serial)) }))
      const row = {
        id: randomUUID(),
        place_id: placeId,
        place_name: place.name,
        by_name: viewer.username,
        expected: lying.length,
        found: found.size,
        missing: missing.length,
        surplus: surplus.length,
      }
      await insertCount(tenancy, row)
      emit('counted', { countId: row.id, placeId, missing: row.missing, surplus: row.surplus }, row.id)
      return {
        ...presentCount({ ...row, tenant_id: tenancy.tenantId, at: tenancy.now }),
        missingSerials: missing.slice(0, mostNamed),
        surplusSerials: surplus.slice(0, mostNamed),
      }
    },

    async counts(question, { tenancy }) {
      const { rows, total } = await pageOfCounts(tenancy, question)
      return { rows: rows.map(presentCount), total }
    },
  },
  {
    subscriptions: [
      on(smartcards.events.issued, ({ tenantId, body: { serial } }, house) => follow(house, tenantId, serial, 'issued')),
      on(smartcards.events.unregistered, ({ tenantId, body: { serial } }, house) => follow(house, tenantId, serial, 'returned')),
    ],
    offers: [offer(personalData, (db, tenantId, userId) => releaseCustodian({ db, tenantId }, userId))],
  },
)

function whyOver(state: StockState | undefined): (typeof surplusKinds)[number] {
  if (state === undefined) return 'unknown'
  return state === 'issued' || state === 'destroyed' ? state : 'elsewhere'
}
