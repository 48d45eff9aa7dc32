import { listLocationPaths } from '#areas/networks/service.ts'
import { findCards, listCardsAfter, type Card } from '#areas/smartcards/service.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import { offer } from '#core/contract/slots.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import { serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { facilities } from '../contract.ts'
import {
  deleteEntries,
  findEntry,
  forgetHolder,
  insertEntries,
  insertSync,
  listBetween,
  lockSync,
  pageOfDirectory,
  updateLocation,
  updateSync,
  type FacilityRecord,
} from './store.ts'

const actor = { name: 'Facility directory' }
const cardsAPart = 500
const nightMilliseconds = 20 * 3_600_000

type Told = Pick<FacilityRecord, 'card_id' | 'status' | 'holder_id' | 'holder'>

/** What the directory should say of these cards now. */
async function toldOf(tenancy: Tenancy, cards: readonly Card[]): Promise<Map<string, Told>> {
  const holderIds = [...new Set(cards.flatMap(({ holderId }) => holderId ?? []))]
  const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, holderIds)).map((one) => [one.id, fullName(one)]))
  return new Map(
    cards.map(({ id, serial, status, holderId }) => [
      serial,
      { card_id: id, status, holder_id: holderId ?? null, holder: people.get(holderId ?? '') ?? '' },
    ]),
  )
}

const isSame = (row: FacilityRecord, told: Told | undefined): boolean =>
  told !== undefined &&
  row.card_id === told.card_id &&
  row.status === told.status &&
  row.holder_id === told.holder_id &&
  row.holder === told.holder

/** Goes on with a sync that was begun, a part of the cards in each transaction. */
async function goOn(house: House, tenantId: string, until: number): Promise<'more' | void> {
  for (;;) {
    const isMore = await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const sync = await lockSync(tenancy)
      if (sync?.state !== 'running') return false
      const cards = await listCardsAfter(tenancy, sync.cursor, cardsAPart)
      const last = cards.length < cardsAPart ? undefined : cards.at(-1)?.serial
      const told = await toldOf(tenancy, cards)
      const known = new Map((await listBetween(tenancy, sync.cursor, last)).map((row) => [row.csn, row]))
      const differing = [...told].filter(([csn, one]) => {
        const row = known.get(csn)
        return row === undefined || !isSame(row, one)
      })
      const gone = [...known.keys()].filter((csn) => !told.has(csn))
      await insertEntries(
        tenancy,
        differing.map(([csn, one]) => ({ csn, ...one })),
      )
      await deleteEntries(tenancy, gone)
      const added = differing.filter(([csn]) => !known.has(csn)).length
      const counts = {
        added: sync.added + added,
        changed: sync.changed + differing.length - added,
        removed: sync.removed + gone.length,
        same: sync.same + told.size - differing.length,
      }
      if (last !== undefined) {
        await updateSync(tenancy, { ...counts, cursor: last })
        return true
      }
      await updateSync(tenancy, { ...counts, state: 'done', cursor: '', ended_at: tenancy.now })
      emitFor(facilities)('synced', counts)
      return false
    })
    if (!isMore) return undefined
    if (performance.now() > until) return 'more'
  }
}

/** A sync of each night is begun; that of a person is begun already, and counts for the night. */
async function turn({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const sync = await lockSync(tenancy)
    if (sync !== undefined && (sync.state === 'running' || tenancy.now.getTime() - sync.started_at.getTime() < nightMilliseconds)) return
    await insertSync(tenancy)
    emitFor(facilities)('syncStarted', {})
  })
  return goOn(house, tenantId, until)
}

export default serve(
  facilities,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await pageOfDirectory(tenancy, question)
      const told = await toldOf(
        tenancy,
        await findCards(
          tenancy,
          rows.map(({ card_id }) => card_id),
        ),
      )
      const locations = new Map((await listLocationPaths(tenancy)).map(({ id, path }) => [id, path]))
      return {
        rows: rows.map((row) => ({
          csn: row.csn,
          cardId: row.card_id,
          status: row.status,
          holderId: row.holder_id ?? '',
          holder: row.holder,
          locationId: row.location_id ?? '',
          location: locations.get(row.location_id ?? '') ?? '',
          inStep: isSame(row, told.get(row.csn)),
          writtenAt: row.written_at.toISOString(),
        })),
        total,
      }
    },

    async state(_input, { tenancy }) {
      const sync = await lockSync(tenancy)
      const { added = 0, changed = 0, removed = 0, same = 0 } = sync ?? {}
      return {
        state: sync?.state ?? 'never',
        added,
        changed,
        removed,
        same,
        ...(sync === undefined ? {} : { startedAt: sync.started_at.toISOString() }),
        ...(sync === undefined || sync.ended_at === null ? {} : { endedAt: sync.ended_at.toISOString() }),
        locations: await listLocationPaths(tenancy),
      }
    },

    async sync(_input, { tenancy, emit, house, afterCommit, fault }) {
      if ((await lockSync(tenancy))?.state === 'running') fault('running')
      await insertSync(tenancy)
      emit('syncStarted', {})
      afterCommit(() => house.wake(facilities.jobs.sync))
      return {}
    },

    async place({ csn, locationId }, { tenancy, emit, fault }) {
      if ((await findEntry(tenancy, csn)) === undefined) fault('missing')
      const location = (await listLocationPaths(tenancy)).find(({ id }) => id === locationId)
      if (locationId !== '' && location === undefined) fault('unknownLocation')
      await updateLocation(tenancy, csn, location?.id ?? null)
      emit('placed', { csn, location: location?.path ?? '' })
      return {}
    },
  },
  {
    jobs: { sync: { inTenancy: turn } },
    offers: [offer(personalData, (db, tenantId, userId) => forgetHolder({ db, tenantId }, userId))],
  },
)
