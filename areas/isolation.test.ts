// Two tenancies that hold the same kinds of things. The ids of the one are put into every field of every call that takes an id, by an
// administrator of the other: the answer must be the one for an id of nothing, to the letter, and nothing of the one may change.
//
// A call is asked about the ids that can matter to it. It does the same for an id as for an id of nothing until the database answers the two
// differently, and that happens only where the id stands in a table that the statement reads. So each call is asked with ids of nothing first, and
// what it sends to the database is heard, whichever room sends it: its own, one below, one above through a slot or a kind of record, or what follows
// the commit. What is sent alike for two ids of nothing, such as who asks, does not hang on the id. The tables of all else are looked up, with
// those that triggers, functions, policies and references lead to, and the call is asked about every id that stands in one of them; what that makes
// it read besides adds further ids. A statement cannot show what a room finds in its own memory: what all rooms remember together
// (core/server/cache.ts) is emptied before a call is asked with ids of nothing, and the ids of a room's own tables go to all calls of the room.
//
// `npm test -- --every-pair` asks every call about every id.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import type { Call } from '#core/contract/contract.ts'
import { fillPath, paramNames, queryText, type Query } from '#core/contract/paths.ts'
import { allSigned } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { fitting, isObject, missingId } from '#core/testing/plausible.ts'
import { hearStatements, type HeardStatement } from '#core/testing/statements.ts'
import { readTables } from '#core/testing/tables.ts'
import { tableOwners } from '../tools/table-owners.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from './certificates/server/issuing.fixture.ts'
import { contentsOf, furnish, idsOf, kindsById, oneOfEach } from './isolation.fixture.ts'
import { openSoftHsm, type SoftHsm } from './keys/server/pkcs11/softhsm.fixture.ts'
import { preferences } from './preferences/contract.ts'

const everyPair = process.env['CHANCERY_TEST_EVERY_PAIR'] === '1'

let hsm: SoftHsm
let house: TestHouse
let tools: OpenSsl
let mine: IssuingFixture
let theirs: IssuingFixture
let mallory: TestPerson
let csr: string
let stopHearing: () => void

beforeAll(async () => {
  hsm = openSoftHsm()
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  tools = openSsl()
  await house.tenancy('Head office')
  mine = await openIssuing(house, tools, 'Acme')
  theirs = await openIssuing(house, tools, 'Globex')
  mallory = await mine.tenancy.person({ permissions: 'all' })
  csr = tools.csr().csr
  for (const pki of [mine, theirs]) await furnish({ house, tools, hsm }, pki)
  await mallory.call(preferences.calls.setFavourites, { userID: mallory.id, query: [{ path: '/home', label: 'Home' }] })
  stopHearing = hearStatements(house.connection, (statement) => void heard.set(formOf(statement), statement.text))
})
afterAll(async () => {
  stopHearing()
  await house.close()
  tools.close()
  hsm.close()
})

/** Another id of nothing, unlike the first in every digit that is free. */
const otherMissingId = 'f3a7c94b-5d62-7be8-9c1f-a4d7e2b9c6f5'
const missingReference = `${missingId}:0badcafe`

const idField = /(?:^|[a-z])(?:id|ids|Id|Ids|ID|rid|tid|ca|about)$/

/** What is one's own for the fields beside the one that is tried, so that only the foreign id is wrong. */
const own = (name: string): string | undefined =>
  ({
    csr,
    caId: mine.caId,
    issuerId: mine.caId,
    ca: mine.caId,
    templateId: mine.template['Device'],
    tid: mine.template['Device'],
    userId: mallory.id,
    tenantId: mine.tenancy.id,
  })[name]

function inputsWith(call: Call, id: string): { field: string; input: Record<string, unknown> }[] {
  const input = fitting(call)
  if (!isObject(input)) return []
  const names = Object.keys(input).filter((name) => idField.test(name))
  return names.map((field) => {
    const filled = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? (own(name) ?? value) : value]),
    )
    return { field, input: { ...filled, [field]: Array.isArray(input[field]) ? [id] : id } }
  })
}

async function answerTo(call: Call, input: Record<string, unknown>, id: string): Promise<string> {
  const params = Object.fromEntries(paramNames(call.path).map((name) => [name, String(input[name] ?? '')]))
  const inQuery = call.method === 'GET' || call.method === 'DELETE'
  // No floor is met: each is asked in a window of its own.
  if (call.limit !== undefined) house.clock.advance(301_000)
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !(name in params)))
  const query = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  ) as Query
  const response = await mallory.fetch(fillPath(call.path, params) + (inQuery ? queryText(query) : ''), {
    method: call.method,
    ...(inQuery ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }),
  })
  const text = await response.text()
  // The other fields hold the id of nothing, and a list says by which ids it was narrowed.
  return `${response.status} ${text
    .replaceAll(id, 'THE ID')
    .replaceAll(missingId, 'THE ID')
    .replace(/"reference":"[^"]*"/, '')}`
}

/** What a call answers anew each time may differ: ids, times and keys of its own making. */
const withoutNew = (text: string) =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'AN ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'A TIME')
    .replace(/[\w+/=-]{40,}/g, 'BYTES')

/** The input without the optional fields beside the one that is tried, which can name what is not there. */
function withoutOptional({ input: call }: Call, field: string, input: Record<string, unknown>): Record<string, unknown> {
  let rest = input
  for (const name of Object.keys(input)) {
    const { [name]: _, ...fewer } = rest
    if (name !== field && call.safeParse(fewer).success) rest = fewer
  }
  return rest
}

/** Calls that only answer are asked about several ids at once, others and those with a limit about one after the other. */
const width = ({ method, reads, limit }: Call) => ((method === 'GET' || reads === true) && limit === undefined ? 8 : 1)

function* inGroups<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

const calls = rooms.flatMap((room) => room.calls.map(({ call }) => call)).filter((call) => call.needs !== 'public' && takesId(call))
const nameOf = ({ area, name }: Call) => `${area}.${name}`
function takesId(call: Call): boolean {
  const input = fitting(call)
  return isObject(input) && Object.keys(input).some((name) => idField.test(name))
}

/** What the house has sent to its database since the last question to a call began: each text with its values, whatever the time in them. */
const heard = new Map<string, string>()
const formOf = ({ text, values }: HeardStatement): string =>
  `${text} ${JSON.stringify(values, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'A TIME')}`

/** Rows of the log are added under ids of their own, whatever they tell of, and numbered all the while, whoever added them: neither finds anything. */
const keepsTheLog = /^\s*(?:insert into "?events\b|update events set sequence\b)|\bfrom events where sequence is null\b/

/** What is sent while a call is asked, with nothing in the memory that all rooms share. */
async function sentWhile(ask: () => Promise<unknown>): Promise<ReadonlyMap<string, string>> {
  heard.clear()
  house.house.cache.forget()
  await ask()
  return new Map(heard)
}

const root = join(import.meta.dirname, '..')
const roomOf = tableOwners(globSync('areas/*/server/migrations/*.sql', { cwd: root }), (file) => readFileSync(join(root, file), 'utf8'))

/** Some of the questions that must be asked, whatever else changes: about records of the own room, of a room below, and what the log is about. */
const mattering = ['roles.read: roles.id', 'enrolment.add: roles.id', 'renewal.renew: templates.id', 'audit.event: cards.id']

// Waits long, because all pairs are 28,000 requests, which take minutes on a busy machine.
test('the ids of another tenancy open nothing, change nothing, and are not even known to exist', { timeout: 1_200_000 }, async () => {
  const ids = await oneOfEach(house, theirs.tenancy.id, await idsOf(house, theirs.tenancy.id))
  expect([...ids.keys()]).toEqual(
    expect.arrayContaining([
      'users.id',
      'roles.id',
      'authorities.id',
      'templates.id',
      'certificates.id',
      'certificate_requests.id',
      'approvals.id',
      'outbox.id',
      'events.id',
    ]),
  )
  const before = await contentsOf(house, theirs.tenancy.id)
  const tables = await readTables(house.connection)
  const all = [...kindsById(ids)].map(([id, kinds]) => ({ id, kinds, standsIn: tables.holding(id.split(':')) }))
  expect(all.filter(({ standsIn }) => standsIn.length === 0)).toEqual([])
  const told: unknown[] = []
  const askedAbout = new Set<string>()
  for (const call of calls) {
    const answersTo = async (id: string) =>
      new Map(
        await Promise.all(
          inputsWith(call, id).map(async ({ field, input }) => [field, withoutNew(await answerTo(call, input, id))] as const),
        ),
      )
    const other = await sentWhile(() => answersTo(otherMissingId))
    const nothing = { id: new Map<string, string>(), reference: new Map<string, string>() }
    const sent = await sentWhile(async () => (nothing.id = await answersTo(missingId)))
    nothing.reference = await answersTo(missingReference)
    const tellDifferent = async ({ id, kinds }: { id: string; kinds: readonly string[] }) => {
      for (const [field, answer] of await answersTo(id)) {
        const expected = nothing[id.includes(':') ? 'reference' : 'id'].get(field)
        if (answer !== expected)
          told.push({ call: nameOf(call), field, kinds, answer: answer.slice(0, 300), expected: expected?.slice(0, 300) })
      }
      for (const kind of kinds) askedAbout.add(`${nameOf(call)}: ${kind}`)
    }
    const mayMatter = () => {
      const hanging = [...other, ...heard].filter(([form, text]) => !(sent.has(form) && other.has(form)) && !keepsTheLog.test(text))
      const read = new Set(hanging.flatMap(([, text]) => [...tables.namedIn(text)]))
      return ({ standsIn }: { standsIn: readonly string[] }) =>
        everyPair || standsIn.some((table) => roomOf.get(table) === call.area || read.has(table))
    }
    // What is heard meanwhile, and what came late, may bring more.
    const left = new Set(all)
    for (let due = all.filter(mayMatter()); due.length > 0; due = [...left].filter(mayMatter())) {
      for (const one of due) left.delete(one)
      for (const group of inGroups(due, width(call))) await Promise.all(group.map(tellDifferent))
    }
  }
  expect(told).toEqual([])
  expect(await contentsOf(house, theirs.tenancy.id)).toEqual(before)
  expect(calls.length).toBeGreaterThan(30)
  expect([...askedAbout]).toEqual(expect.arrayContaining(mattering))
})

/** What only a management tenancy has: neither of the two is one. */
const ofManagement = ['licensing.licences']
/** What only an authority has that is signed elsewhere, or whose key is elsewhere: neither tenancy has one. Their own tests open them. */
const ofOutsideAuthorities = ['authorities.requestSheet', 'revocation.uploadedList']
/** What is asked for by a number that each tenancy counts by itself. Their own tests open them, and keep them from others. */
const byNumber = ['tickets.read', 'tickets.messages']

test('and what is one’s own is opened by the same calls', { timeout: 300_000 }, async () => {
  // Any event may be the one that is asked about, and what is not signed has no proof.
  await allSigned(house)
  const ids = [...kindsById(await idsOf(house, mine.tenancy.id))]
  const opened: [string, boolean][] = []
  // One call after the other, a few ids at a time: all at once would be thousands of connections in one moment.
  for (const call of calls.filter(
    ({ method, area, name }) => method === 'GET' && ![...ofManagement, ...ofOutsideAuthorities, ...byNumber].includes(`${area}.${name}`),
  )) {
    const isOwn = (kind: string) => roomOf.get(kind.split('.')[0] ?? '') === call.area
    // The likely ones first: one that is opened is enough.
    const likely = ids.toSorted(([, some], [, others]) => Number(others.some(isOwn)) - Number(some.some(isOwn)))
    let open = false
    for (const group of inGroups(likely, 8)) {
      const answers = await Promise.all(
        group.flatMap(([id]) =>
          inputsWith(call, id).flatMap(({ field, input }) => {
            const fewer = withoutOptional(call, field, input)
            return [input, ...(Object.keys(fewer).length < Object.keys(input).length ? [fewer] : [])].map((one) => answerTo(call, one, id))
          }),
        ),
      )
      open ||= answers.some((answer) => answer.startsWith('200'))
      if (open) break
    }
    opened.push([nameOf(call), open])
  }
  expect(opened.filter(([, open]) => open === false)).toEqual([])
})
