import { offer } from '#core/contract/slots.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { EventRow } from '#core/server/events.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointRequest } from '#core/server/serve.ts'
import { serve } from '#core/server/serve.ts'
import { changeSigns } from '#core/server/slots.ts'
import { parseExactly, readQuery } from '#core/server/steps/input.ts'
import { actorOf } from '#core/server/visiting.ts'
import { parseCheckpoint } from '#standards/audit-log/checkpoint.ts'
import { consistencyProof, inclusionProof, leafHash } from '#standards/audit-log/merkle.ts'
import { audit, EventFilters } from '../contract.ts'
import { foldRepeats } from '../fold-repeats.ts'
import { textSearchDepth } from '../rules.ts'
import { openCheckpointKey } from './key.ts'
import { eventsLabelled } from './labels.ts'
import { leafBytes } from './leaf.ts'
import { namesOf, thingsNamed, type PresentedName } from './names.ts'
import { eventsBefore, partsInRequests, searchEvents, type EventFilter, type Meant } from './search-store.ts'
import { startSequencer, type Sequencer } from './sequencer.ts'
import {
  addVerification,
  countWaiting,
  findEvent,
  findLeaf,
  latestCheckpoint,
  latestVerification,
  newestEvents,
  readKey,
  readNodes,
} from './store.ts'
import { keepCheckpoints } from './stored-checkpoint.ts'
import { verifyDatabase } from './verify.ts'

/** A job that did the same a hundred times leaves room for what else happened. */
const recentSearched = 200
const recentPresented = 12

const sequencers = new WeakMap<House, Sequencer>()

const base64 = (hash: Uint8Array) => Buffer.from(hash).toString('base64')

export default serve(
  audit,
  {
    async search({ page, size, direction, ...filter }, { db, viewer, now, house }) {
      const meant = await meaningOf(house, db, viewer.tenantId, filter, now)
      const { rows, ...counts } = await searchEvents(db, viewer.tenantId, filter, meant, { page, size, direction })
      const names = await namesOf(
        house,
        db,
        viewer,
        rows.map(({ about }) => about),
      )
      const parts = await partsInRequests(db, viewer.tenantId, [...new Set(rows.flatMap((row) => requestOf(row) ?? []))])
      const sought =
        filter.text === '' && filter.actor === ''
          ? undefined
          : { events: meant.events, things: meant.ids.length + meant.actors.length, moreThings: meant.more, newest: textSearchDepth }
      return { ...counts, rows: rows.map((row) => ({ ...shown(row, names), ...partsOf(row, parts) })), sought }
    },

    async recent(_input, { db, viewer }) {
      const rows = foldRepeats(await newestEvents(db, viewer.tenantId, recentSearched)).slice(0, recentPresented)
      return {
        rows: rows.map(({ id, at, actor, area, name, outcome, times }) => ({
          id,
          at: at.toISOString(),
          actor,
          area,
          name,
          outcome,
          times,
        })),
      }
    },

    async event({ eventId }, { db, viewer, house, fault }) {
      const row = await findEvent(db, viewer.tenantId, eventId)
      return row === undefined ? fault('missing') : shown(row, await namesOf(house, db, viewer, [row.about]))
    },

    async status(_input, { db, viewer, house }) {
      const auditor = house.auditor.database
      const [key, checkpoint, verification, waiting] = [
        await readKey(auditor),
        await latestCheckpoint(auditor),
        await latestVerification(auditor),
        await countWaiting(db, viewer.tenantId),
      ]
      return {
        verifierKey: key?.verifier_key ?? '',
        checkpoint: checkpoint && { size: checkpoint.size, at: checkpoint.at.toISOString(), note: checkpoint.note },
        waiting,
        verification: verification && {
          at: verification.at.toISOString(),
          intact: verification.intact,
          rows: verification.row_count,
          message: verification.message,
        },
      }
    },

    async proof({ eventId }, { db, viewer, house, fault }) {
      const row = await findLeaf(db, viewer.tenantId, eventId)
      if (row === undefined) return fault('missing')
      const auditor = house.auditor.database
      const [key, checkpoint] = [await readKey(auditor), await latestCheckpoint(auditor)]
      const { sequence, ...columns } = row
      if (sequence === null || key === undefined || checkpoint === undefined || checkpoint.size <= sequence) return fault('unsigned')
      const leaf = leafBytes(columns)
      const path = await inclusionProof(checkpoint.size, sequence, (positions) => readNodes(auditor, positions))
      return {
        leaf: Buffer.from(leaf).toString('utf8'),
        leafHash: base64(leafHash(leaf)),
        index: sequence,
        size: checkpoint.size,
        root: base64(parseCheckpoint(checkpoint.note).root),
        path: path.map(base64),
        checkpoint: checkpoint.note,
        verifierKey: key.verifier_key,
      }
    },

    async consistency({ first }, { house, fault }) {
      const auditor = house.auditor.database
      const [key, checkpoint] = [await readKey(auditor), await latestCheckpoint(auditor)]
      if (key === undefined || checkpoint === undefined || checkpoint.size < first) return fault('shorter', { params: { first } })
      const path = await consistencyProof(first, checkpoint.size, (positions) => readNodes(auditor, positions))
      return { first, second: checkpoint.size, path: path.map(base64), checkpoint: checkpoint.note, verifierKey: key.verifier_key }
    },
  },
  {
    endpoints: { exportAuditEvents: { handle: exportEvents } },
    atHome: { recent: [{}] },
    offers: [offer(changeSigns, async ({ db, tenantId }) => (await newestEvents(db, tenantId, 1))[0]?.id ?? '')],
    jobs: { verify: { inHouse: verifyNightly } },
    async start(house) {
      sequencers.set(house, startSequencer(house, await openCheckpointKey(house)))
    },
    async stop(house) {
      await sequencers.get(house)?.stop()
    },
  },
)

/** Read once for a whole answer: what an export finds does not change while it is written. */
async function meaningOf(
  house: House,
  db: Database,
  tenantId: string,
  { text, actor }: Pick<EventFilter, 'text' | 'actor'>,
  now: Date,
): Promise<Meant & { events: string[]; more: boolean }> {
  const things = await thingsNamed(house, db, tenantId, text, now)
  const actors = await thingsNamed(house, db, tenantId, actor, now)
  return { events: eventsLabelled(house.contracts, text), ids: things.ids, actors: actors.ids, more: things.more || actors.more }
}

const shown = (row: EventRow, names: ReadonlyMap<string, PresentedName>) => ({
  id: row.id,
  at: row.at.toISOString(),
  actor: row.actor,
  actorId: row.actor_id ?? undefined,
  address: row.address,
  area: row.area,
  name: row.name,
  outcome: row.outcome,
  about: row.about,
  named: names.get(row.about),
  body: row.body,
  requestId: row.request_id,
  sequence: row.sequence ?? undefined,
})

/** The request that an event belongs to, as its body names it. */
function requestOf({ body }: EventRow): string | undefined {
  const { requestId }: { requestId?: unknown } = Object(JSON.parse(body))
  return typeof requestId === 'string' ? requestId : undefined
}

/** Who asked for what somebody else then did, and who agreed to it; of the asking and the agreeing themselves their own person says it. */
function partsOf(row: EventRow, parts: Awaited<ReturnType<typeof partsInRequests>>) {
  const requestId = requestOf(row)
  if (requestId === undefined || row.name === 'requested' || row.name === 'approved') return {}
  const by = (name: string) => parts.flatMap((part) => (part.about === requestId && part.name === name ? [part.actor] : []))
  const askedBy = by('requested')[0]
  const agreedBy = [...new Set(by('approved'))]
  return { ...(askedBy === undefined || askedBy === row.actor ? {} : { askedBy }), ...(agreedBy.length === 0 ? {} : { agreedBy }) }
}

async function verifyNightly(house: House): Promise<void> {
  // A checkpoint that cannot be read has stopped the log already.
  const [checkpoint] = await keepCheckpoints(house)
    .notes()
    .catch(() => [])
  const verdict = await verifyDatabase(house.auditor.database, { checkpoint }, undefined, house.now())
  if (!verdict.ok) house.log.error({ fault: verdict.fault, sequence: verdict.sequence }, `the audit log is not intact: ${verdict.message}`)
  await addVerification(house.auditor.database, {
    at: house.now(),
    intact: verdict.ok,
    row_count: verdict.ok ? verdict.rows : verdict.sequence,
    message: verdict.ok ? '' : verdict.message,
  })
}

/** The events that the filters leave, as CSV, newest first. That somebody took them along is itself an event. */
async function exportEvents({ viewer, house, url, facts, now }: EndpointRequest) {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const filters = parseExactly(EventFilters, readQuery(url, EventFilters))
  await house.work(viewer.tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
    emitFor(audit)('exported', { filters }),
  )
  const { tenantId } = viewer
  const meant = await inTenant(house.database, tenantId, (db) => meaningOf(house, db, tenantId, filters, now))
  return exportAnswer<EventRow>({
    name: 'audit',
    of: now,
    columns: Object.fromEntries(exported.map((column) => [column, (row: EventRow) => row[column]])),
    read: (after, size) => inTenant(house.database, tenantId, (db) => eventsBefore(db, tenantId, filters, meant, after, size)),
  })
}

const exported = ['sequence', 'id', 'at', 'actor', 'actor_id', 'address', 'area', 'name', 'outcome', 'about', 'request_id', 'body'] as const
