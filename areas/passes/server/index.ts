import { randomUUID } from 'node:crypto'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { users } from '#areas/users/contract.ts'
import { findPerson, fullName, holdPerson, peopleWhoMay, searchPeople } from '#areas/users/service.ts'
import { passNumbersOf } from '#areas/visitors/service.ts'
import { to } from '#core/contract/paths.ts'
import { Id } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import { on, serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { passes } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { dayIn, endOfDay, highestNumber, longestDays, mostAtOnce, passNumberOf, startOfDay, statusLabels } from '../rules.ts'
import { presentPass, presentPasses, statusOf } from './presenter.ts'
import {
  countStatuses,
  findByNumber,
  findPrint,
  freeNumbers,
  insertPasses,
  insertPrint,
  listOfPerson,
  listPasses,
  listPrinted,
  lockByNumber,
  lockExpired,
  lockNumbers,
  numbersTaken,
  pageOfPasses,
  pageOfPrints,
  releasePerson,
  updatePass,
  type PassRecord,
} from './store.ts'

const mostListed = 10_000
/** A text finds at most so many people among whose passes is sought. */
const mostNamed = 500
const atATime = 200
const day = 86_400_000

type DayFault = (code: 'over' | 'backwards' | 'tooLong') => never

const zoneOf = async ({ db, tenantId }: Tenancy): Promise<string> => (await findTenancy(db, tenantId))?.timeZone ?? 'UTC'

/** From the start of one day to 23:59:59 of the other, in the time zone of the tenancy. */
async function validity(tenancy: Tenancy, validDate: Date, expirationDate: Date, fault: DayFault): Promise<{ from: Date; until: Date }> {
  const zone = await zoneOf(tenancy)
  const from = startOfDay(dayIn(validDate, zone), zone)
  const until = endOfDay(dayIn(expirationDate, zone), zone)
  if (until < from) fault('backwards')
  if (until < tenancy.now) fault('over')
  if (until.getTime() - from.getTime() > longestDays * day) fault('tooLong')
  return { from, until }
}

const nobody = { user_id: null, given_name: '', family_name: '', valid_from: null, valid_until: null, expired_at: null } as const

type IssueFault = (code: 'missingPass' | 'notAvailable' | 'otherKind' | 'over' | 'backwards' | 'tooLong', detail?: object) => never
type Holder = Pick<PassRecord, 'user_id' | 'given_name' | 'family_name'>

async function give(
  tenancy: Tenancy,
  { passNumber, validDate, expirationDate }: { passNumber: string; validDate: string; expirationDate: string },
  kind: PassRecord['kind'],
  holder: Holder,
  fault: IssueFault,
): Promise<{ pass: PassRecord; until: Date }> {
  const pass = (await lockByNumber(tenancy, passNumber)) ?? fault('missingPass')
  if (pass.kind !== kind) fault('otherKind', { params: { passNumber } })
  if (pass.status !== 'available')
    fault('notAvailable', { params: { passNumber, status: statusLabels[statusOf(pass, tenancy.now)].toLowerCase() } })
  const { from, until } = await validity(tenancy, new Date(validDate), new Date(expirationDate), fault)
  const change = { ...holder, status: 'issued' as const, valid_from: from, valid_until: until, expired_at: null, reason: '' }
  await updatePass(tenancy, pass.id, change)
  return { pass: { ...pass, ...change, changed_at: tenancy.now }, until }
}

export default serve(
  passes,
  {
    async list({ status }, { tenancy }) {
      return presentPasses(tenancy, await listPasses(tenancy, status, mostListed))
    },

    async search(question, { db, tenancy, viewer }) {
      const { text } = question
      const holders = text.trim() === '' ? [] : (await searchPeople(db, viewer.tenantId, text, mostNamed)).map(({ id }) => id)
      // A number is found as it stands on the pass, and as somebody types it.
      const asked = { ...question, holders, text: /^\d{1,4}$/.test(text.trim()) ? passNumberOf(text) : text }
      const { rows, total } = await pageOfPasses(tenancy, asked)
      const status: Record<string, number> = {}
      for (const one of await countStatuses(tenancy, asked)) status[one.status] = (status[one.status] ?? 0) + Number(one.count)
      return { rows: await presentPasses(tenancy, rows), total, facets: { status } }
    },

    async days(_input, { tenancy }) {
      const timeZone = await zoneOf(tenancy)
      return { today: dayIn(tenancy.now, timeZone), timeZone }
    },

    async ofPerson({ userId }, { db, tenancy, viewer, fault }) {
      if ((await findPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
      return presentPasses(tenancy, await listOfPerson(tenancy, userId))
    },

    async accounts(_input, { tenancy }) {
      const out = [...(await listPasses(tenancy, 'issued', mostListed)), ...(await listPasses(tenancy, 'expired', mostListed))]
      const shown = await presentPasses(tenancy, out)
      const held = Map.groupBy(shown, ({ userID, givenName, lastName, cardType }) => userID ?? `${cardType} ${givenName} ${lastName}`)
      return [...held.values()].flatMap(([first, ...rest]) =>
        first === undefined
          ? []
          : [
              {
                ...(first.userID === undefined ? {} : { userID: first.userID }),
                givenName: first.givenName,
                lastName: first.lastName,
                cardType: first.cardType,
                passNumbers: [first, ...rest].map(({ passNumber }) => passNumber),
              },
            ],
      )
    },

    async availability({ type, passNumber }, { tenancy }) {
      const pass = await findByNumber(tenancy, passNumber)
      if (pass === undefined) return ['unknown' as const]
      return [pass.kind === type ? statusOf(pass, tenancy.now) : ('otherKind' as const)]
    },

    async assignPositive({ userID, ...asked }, { db, tenancy, viewer, emit, fault }) {
      const person = await holdPerson(db, viewer.tenantId, userID)
      if (person === undefined || !person.enabled) return fault('unknownPerson')
      const holder = { user_id: userID, given_name: '', family_name: '' }
      const before = await listOfPerson(tenancy, userID)
      const { pass, until } = await give(tenancy, asked, 'positive', holder, fault)
      const begins = pass.valid_from === null || pass.valid_from < tenancy.now ? tenancy.now : pass.valid_from
      const others = before.filter(({ valid_until: end }) => end === null || end > begins)
      for (const other of others) await recall(other, begins, 'another')
      emit('assigned', { passId: pass.id, passNumber: pass.number, userId: userID, until: until.toISOString() }, pass.id)
      return { ...presentPass(pass, tenancy.now, person), ended: before.map(({ number }) => number) }

      async function recall(other: PassRecord, end: Date, why: 'another'): Promise<void> {
        await endPass(tenancy, other, end)
        emit('recalled', { passId: other.id, passNumber: other.number, userId: userID, until: end.toISOString(), why }, other.id)
      }
    },

    async assignGuest({ givenName, lastName, ...asked }, { tenancy, emit, fault }) {
      const holder = { user_id: null, given_name: givenName, family_name: lastName }
      const { pass, until } = await give(tenancy, asked, 'guest', holder, fault)
      emit('assigned', { passId: pass.id, passNumber: pass.number, until: until.toISOString() }, pass.id)
      return presentPass(pass, tenancy.now)
    },

    async giveBack({ passNumber }, { tenancy, emit, fault }) {
      const pass = (await lockByNumber(tenancy, passNumber)) ?? fault('missingPass')
      if (pass.status !== 'issued') fault('notIssued', { params: { passNumber } })
      const change = { ...nobody, status: 'available' as const, reason: '' }
      await updatePass(tenancy, pass.id, change)
      emit('returned', { passId: pass.id, passNumber }, pass.id)
      return presentPass({ ...pass, ...change, changed_at: tenancy.now }, tenancy.now)
    },

    async misplace({ passNumber, reason }, { tenancy, emit, fault }) {
      const pass = (await lockByNumber(tenancy, passNumber)) ?? fault('missingPass')
      if (pass.status === 'misplaced') fault('misplacedAlready', { params: { passNumber } })
      await updatePass(tenancy, pass.id, { status: 'misplaced', reason })
      emit('misplaced', { passId: pass.id, passNumber, reason, ...(pass.user_id === null ? {} : { userId: pass.user_id }) }, pass.id)
      const [shown = fault('missing')] = await presentPasses(tenancy, [{ ...pass, status: 'misplaced', reason, changed_at: tenancy.now }])
      return shown
    },

    async activate({ passNumber, status, reason }, { tenancy, emit, fault }) {
      const pass = (await lockByNumber(tenancy, passNumber)) ?? fault('missingPass')
      if (pass.status === 'issued') fault('isIssued', { params: { passNumber } })
      const isActive = status === 'active'
      const change = { ...nobody, status: isActive ? ('available' as const) : ('inactive' as const), reason: isActive ? '' : reason.trim() }
      if (change.status !== pass.status) {
        await updatePass(tenancy, pass.id, change)
        emit(isActive ? 'activated' : 'deactivated', { passId: pass.id, passNumber }, pass.id)
      }
      return presentPass({ ...pass, ...change }, tenancy.now)
    },

    async setExpiry({ passNumber, expirationDate }, { tenancy, emit, fault }) {
      const pass = (await lockByNumber(tenancy, passNumber)) ?? fault('missingPass')
      if (pass.status !== 'issued' || pass.valid_from === null) return fault('notIssued', { params: { passNumber } })
      // Held, so that who is disabled at the same moment comes before, or ends what is extended here.
      const holder = pass.user_id === null ? undefined : await holdPerson(tenancy.db, tenancy.tenantId, pass.user_id)
      if (holder?.enabled === false) fault('holderGone', { params: { passNumber } })
      const { until } = await validity(tenancy, pass.valid_from, new Date(expirationDate), fault)
      await updatePass(tenancy, pass.id, { valid_until: until, expired_at: null })
      emit('expiryChanged', { passId: pass.id, passNumber, until: until.toISOString() }, pass.id)
      const [shown = fault('missing')] = await presentPasses(tenancy, [{ ...pass, valid_until: until, changed_at: tenancy.now }])
      return shown
    },

    async printBatch({ quantity, cardType }, { tenancy, viewer, emit, fault }) {
      await lockNumbers(tenancy)
      const numbers = await freeNumbers(tenancy, quantity, highestNumber)
      if (numbers.length < quantity) fault('noNumbers', { params: { left: numbers.length } })
      const id = randomUUID()
      await insertPasses(
        tenancy,
        numbers.map((number) => ({ id: randomUUID(), number, kind: cardType, print_id: id })),
      )
      await insertPrint(tenancy, {
        id,
        kind: cardType,
        quantity,
        first_number: numbers[0] ?? '',
        last_number: numbers.at(-1) ?? '',
        by_name: viewer.username,
      })
      emit('printed', { printId: id, quantity, cardType }, id)
      return { id, passNumbers: numbers }
    },

    async prints(question, { tenancy }) {
      const { rows, total } = await pageOfPrints(tenancy, question)
      return {
        rows: rows.map(({ id, kind, quantity, first_number: first, last_number: last, by_name: by, at }) => ({
          id,
          cardType: kind,
          quantity,
          first,
          last,
          by,
          at: at.toISOString(),
        })),
        total,
      }
    },

    async addStock({ cardType, first, last }, { tenancy, emit, fault }) {
      const added = Number(last) - Number(first) + 1
      if (added < 1) fault('backwards')
      if (added > mostAtOnce) fault('tooMany')
      await lockNumbers(tenancy)
      const [taken] = await numbersTaken(tenancy, first, last)
      if (taken !== undefined) fault('taken', { params: { passNumber: taken } })
      await insertPasses(
        tenancy,
        Array.from({ length: added }, (_, at) => ({
          id: randomUUID(),
          number: passNumberOf(String(Number(first) + at)),
          kind: cardType,
          print_id: null,
        })),
      )
      emit('stocked', { added, first, last })
      return { added }
    },
  },
  {
    endpoints: {
      printList: {
        async handle({ house, viewer, url }) {
          if (viewer === undefined) throw commonFault('not_logged_in')
          const id = Id.safeParse(url.searchParams.get('id'))
          const { tenantId } = viewer
          const print = id.success ? await withTenancy(house, tenantId, (tenancy) => findPrint(tenancy, id.data)) : undefined
          if (print === undefined) throw commonFault('missing')
          return exportAnswer<PassRecord>({
            name: 'passes',
            of: `${print.first_number}-${print.last_number}`,
            columns: { Number: (row) => row.number, Kind: (row) => row.kind },
            read: (after, size) => withTenancy(house, tenantId, (tenancy) => listPrinted(tenancy, print.id, after?.number ?? '', size)),
          })
        },
      },
    },

    jobs: {
      expiry: {
        inTenancy: ({ house, tenantId }) =>
          house.work(tenantId, { name: 'Passes' }, async ({ tenancy, emitFor }) => {
            const late = await lockExpired(tenancy, atATime)
            for (const { id, number, user_id: userId } of late) {
              await updatePass(tenancy, id, { expired_at: tenancy.now })
              emitFor(passes)('expired', { passId: id, passNumber: number, ...(userId === null ? {} : { userId }) }, id)
            }
            return late.length === atATime ? 'more' : undefined
          }),
      },
    },

    subscriptions: [
      on(users.events.disabled, ({ tenantId, body: { userId } }, house) =>
        house.work(tenantId, { name: 'Passes' }, (work) => recallOf(house, work, userId)),
      ),
    ],

    offers: [offer(personalData, (db, tenantId, userId) => releasePerson({ db, tenantId }, userId))],
  },
)

/** What is over already stays as it is. The card is out until somebody takes it back. */
const endPass = (tenancy: Tenancy, pass: Pick<PassRecord, 'id'>, end: Date): Promise<void> =>
  updatePass(tenancy, pass.id, { valid_until: end, expired_at: end <= tenancy.now ? tenancy.now : null })

/** Ends the passes of somebody whose account was disabled, and those of their visitors, and has them taken back. */
async function recallOf(house: House, { tenancy, emitFor }: TenantWork, userId: string): Promise<void> {
  const { db, tenantId, now } = tenancy
  const person = await holdPerson(db, tenantId, userId)
  if (person === undefined || person.enabled) return
  const ofVisitors: PassRecord[] = []
  for (const number of await passNumbersOf(tenancy, userId)) {
    const pass = await lockByNumber(tenancy, passNumberOf(number))
    if (pass?.status === 'issued' && pass.kind === 'guest') ofVisitors.push(pass)
  }
  const all = [...(await listOfPerson(tenancy, userId)), ...ofVisitors].filter(({ valid_until: end }) => end === null || end > now)
  for (const pass of all) {
    await endPass(tenancy, pass, now)
    const whose = pass.user_id === null ? {} : { userId: pass.user_id }
    emitFor(passes)('recalled', { passId: pass.id, passNumber: pass.number, ...whose, until: now.toISOString(), why: 'disabled' }, pass.id)
  }
  if (all.length === 0) return
  for (const { id, emailAddress } of await peopleWhoMay(db, tenantId, 'smartcardTemporary', [userId]))
    await queueMail(tenancy, {
      to: { userId: id, emailAddress },
      kind: 'leaverHolds',
      subject: message(mailWords.recalled.subject),
      text: message(mailWords.recalled.text, { holder: fullName(person), passes: all.map(({ number }) => number).join(', ') }),
      link: linkTo(house, to(passes.screens.manage)),
    })
}
