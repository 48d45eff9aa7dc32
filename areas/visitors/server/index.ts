import { linkTo, queueMail } from '#areas/mail/service.ts'
import { users } from '#areas/users/contract.ts'
import { findPeople, findPerson, fullName, peopleWhoMay } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import { on, serve } from '#core/server/serve.ts'
import { dependants } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { visitors } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { keptDays, mostDays, stateOf } from '../rules.ts'
import {
  countOpenOf,
  deleteOldVisits,
  findVisit,
  findVisitPage,
  insertVisit,
  listOverstayed,
  lockOpenOf,
  lockVisit,
  updateVisit,
  type VisitRecord,
} from './store.ts'

const day = 86_400_000
const together = 100

export default serve(
  visitors,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await findVisitPage(tenancy, { ...question, state: question.state })
      return { rows: await presentRows(tenancy, rows), total }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findVisit(tenancy, id)) ?? fault('missing')
      const [shown = fault('missing')] = await presentRows(tenancy, [row])
      return {
        ...shown,
        emailAddress: row.email_address,
        purpose: row.purpose,
        passNumber: row.pass_number,
        ...(row.arrived_at === null ? {} : { arrivedAt: row.arrived_at.toISOString() }),
        ...(row.left_at === null ? {} : { leftAt: row.left_at.toISOString() }),
        version: row.version,
      }
    },

    async add({ hostId, from, until, emailAddress, ...draft }, { db, tenancy, viewer, now, emit, fault }) {
      const times = { begins: new Date(from), until: new Date(until) }
      judgeTimes(times, now, fault)
      if ((await findPerson(db, viewer.tenantId, hostId))?.enabled !== true) fault('unknownHost')
      const id = timeOrderedId(now)
      await insertVisit(tenancy, {
        id,
        ...draft,
        ...times,
        email_address: emailAddress,
        host_id: hostId,
        pass_number: '',
        arrived_at: null,
        left_at: null,
      })
      emit('planned', { visitId: id, hostId }, id)
      return { id }
    },

    async arrive({ id, passNumber }, { tenancy, now, emit, fault }) {
      const row = (await lockVisit(tenancy, id)) ?? fault('missing')
      if (presentState(row, now) !== 'planned') fault('notExpected')
      await updateVisit(tenancy, id, { arrived_at: now, pass_number: passNumber })
      emit('arrived', { visitId: id, hostId: row.host_id, passNumber }, id)
      return {}
    },

    async leave({ id }, { tenancy, now, emit, fault }) {
      const row = (await lockVisit(tenancy, id)) ?? fault('missing')
      if (row.arrived_at === null || row.left_at !== null) fault('notHere')
      await updateVisit(tenancy, id, { left_at: now })
      emit('left', { visitId: id, hostId: row.host_id }, id)
      return {}
    },

    async extend({ id, until }, { tenancy, now, emit, fault }) {
      const row = (await lockVisit(tenancy, id)) ?? fault('missing')
      const state = presentState(row, now)
      if (state === 'left' || state === 'cancelled') fault('over')
      const end = new Date(until)
      judgeTimes({ begins: row.begins, until: end }, now, fault)
      await updateVisit(tenancy, id, { until: end, told: false })
      emit('extended', { visitId: id, hostId: row.host_id, until }, id)
      return {}
    },

    async cancel({ id }, { tenancy, emit, fault }) {
      const row = (await lockVisit(tenancy, id)) ?? fault('missing')
      if (row.arrived_at !== null) fault('begun')
      if (row.cancelled) return {}
      await updateVisit(tenancy, id, { cancelled: true })
      emit('cancelled', { visitId: id, hostId: row.host_id }, id)
      return {}
    },
  },
  {
    jobs: {
      overstays: {
        inTenancy: ({ house, tenantId }) =>
          house.work(tenantId, { name: 'Visits' }, async ({ tenancy, emitFor }) => {
            await deleteOldVisits(tenancy, new Date(tenancy.now.getTime() - keptDays * day))
            for (const row of await listOverstayed(tenancy, together)) {
              await updateVisit(tenancy, row.id, { told: true })
              emitFor(visitors)('overstayed', { visitId: row.id, hostId: row.host_id }, row.id)
              const host = await findPerson(tenancy.db, tenantId, row.host_id)
              if (host === undefined) continue
              if (!host.enabled) {
                await tellReception(house, tenancy, fullName(host), { cancelled: [], here: [row] })
                continue
              }
              await queueMail(tenancy, {
                to: { userId: host.id, emailAddress: host.emailAddress },
                kind: 'visitOverstayed',
                subject: message(mailWords.overstayed.subject),
                text: message(mailWords.overstayed.text, { host: fullName(host), name: row.name }),
                link: linkTo(house, to(visitors.screens.visit, { id: row.id })),
              })
            }
          }),
      },
    },
    // Nobody receives them: who is expected is expected no more, and who is in the house has somebody else see them out.
    subscriptions: [
      on(users.events.disabled, ({ tenantId, body: { userId } }, house) =>
        house.work(tenantId, { name: 'Visits' }, (work) => endForHost(house, work, userId)),
      ),
    ],
    offers: [
      offer(dependants, {
        record: 'user',
        count: async (db, tenantId, userId, now) => {
          const open = await countOpenOf({ db, tenantId }, userId, now)
          return open === 0 ? [] : [{ kind: 'Visits', count: open, path: to(visitors.screens.list) }]
        },
      }),
    ],
  },
)

async function endForHost(house: House, { tenancy, emitFor }: TenantWork, hostId: string): Promise<void> {
  const host = await findPerson(tenancy.db, tenancy.tenantId, hostId)
  if (host === undefined || host.enabled) return
  const open = await lockOpenOf(tenancy, hostId)
  const cancelled = open.filter(({ arrived_at }) => arrived_at === null)
  for (const { id } of cancelled) {
    await updateVisit(tenancy, id, { cancelled: true })
    emitFor(visitors)('cancelled', { visitId: id, hostId }, id)
  }
  if (open.length > 0)
    await tellReception(house, tenancy, fullName(host), { cancelled, here: open.filter(({ arrived_at }) => arrived_at !== null) })
}

async function tellReception(
  house: House,
  tenancy: Tenancy,
  host: string,
  { cancelled, here }: { cancelled: readonly VisitRecord[]; here: readonly VisitRecord[] },
): Promise<void> {
  const named = (rows: readonly VisitRecord[]) => (rows.length === 0 ? '–' : rows.map(({ name }) => name).join(', '))
  for (const { id, emailAddress } of await peopleWhoMay(tenancy.db, tenancy.tenantId, 'manageSponsor'))
    await queueMail(tenancy, {
      to: { userId: id, emailAddress },
      kind: 'leaverHolds',
      subject: message(mailWords.hostless.subject),
      text: message(mailWords.hostless.text, { host, cancelled: named(cancelled), here: named(here) }),
      link: linkTo(house, to(visitors.screens.list)),
    })
}

function judgeTimes(
  { begins, until }: { begins: Date; until: Date },
  now: Date,
  fault: (code: 'endsBefore' | 'tooLong' | 'past', detail?: { params: Record<string, number> }) => never,
): void {
  if (until <= begins) fault('endsBefore')
  if (until <= now) fault('past')
  if (until.getTime() - begins.getTime() > mostDays * day) fault('tooLong', { params: { days: mostDays } })
}

const presentState = (row: VisitRecord, now: Date) =>
  stateOf({ until: row.until, arrivedAt: row.arrived_at ?? undefined, leftAt: row.left_at ?? undefined, cancelled: row.cancelled }, now)

async function presentRows({ db, tenantId, now }: Tenancy, rows: readonly VisitRecord[]) {
  const hosts = new Map(
    (
      await findPeople(
        db,
        tenantId,
        rows.map(({ host_id }) => host_id),
      )
    ).map((person) => [person.id, fullName(person)]),
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    company: row.company,
    host: { id: row.host_id, name: hosts.get(row.host_id) ?? '' },
    from: row.begins.toISOString(),
    until: row.until.toISOString(),
    state: presentState(row, now),
  }))
}
