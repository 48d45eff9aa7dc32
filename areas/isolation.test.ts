// Two tenancies that hold the same kinds of things. Every id of the one is put into every field of every call that takes an id, by an
// administrator of the other: the answer must be the one for an id of nothing, to the letter, and nothing of the one may change.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import type { Call } from '#core/contract/contract.ts'
import { fillPath, paramNames, queryText, type Query } from '#core/contract/paths.ts'
import { inTenant } from '#core/server/database.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { allSigned } from '#core/testing/events.ts'
import { examplesOf } from '#core/testing/examples.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { fitting, isObject, missingId } from '#core/testing/plausible.ts'
import { bulk } from './bulk/contract.ts'
import { certificates } from './certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from './certificates/server/issuing.fixture.ts'
import { insertFinding } from './discovery/server/finding-store.ts'
import { enrolment } from './enrolment/contract.ts'
import { keys } from './keys/contract.ts'
import { openSoftHsm, type SoftHsm } from './keys/server/pkcs11/softhsm.fixture.ts'
import { order } from './order.ts'
import { preferences } from './preferences/contract.ts'
import { revocation } from './revocation/contract.ts'
import { users } from './users/contract.ts'

let hsm: SoftHsm
let house: TestHouse
let tools: OpenSsl
let mine: IssuingFixture
let theirs: IssuingFixture
let mallory: TestPerson
let csr: string

beforeAll(async () => {
  hsm = openSoftHsm()
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  tools = openSsl()
  await house.tenancy('Head office')
  mine = await openIssuing(house, tools, 'Acme')
  theirs = await openIssuing(house, tools, 'Globex')
  mallory = await mine.tenancy.person({ permissions: 'all' })
  csr = tools.csr().csr
  for (const pki of [mine, theirs]) await furnish(pki)
  await mallory.call(preferences.calls.setFavourites, { userID: mallory.id, query: [{ path: '/home', label: 'Home' }] })
}, 180_000)
afterAll(async () => {
  await house.close()
  tools.close()
  hsm.close()
})

/** One of each: a certificate, a request that waits, an invited person with a mail, a token. */
async function furnish({ tenancy, ada, template, addTemplate }: IssuingFixture): Promise<void> {
  const request = (templateId: string | undefined, dns: string) =>
    ada.call(certificates.calls.requestForDevice, {
      templateId: templateId ?? '',
      csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
      values: { DNS: [dns] },
    })
  const { certificateId = '' } = await request(template['Device'], `device.${tenancy.id.slice(-6)}.example.org`)
  await request(template['TLSServer'], `waits.${tenancy.id.slice(-6)}.example.org`)
  const [label, keeper] = [`hsm ${tenancy.id.slice(-6)}`, await tenancy.person({ permissions: ['HSMAuthenticate'] })]
  hsm.token(label, '246810')
  const [{ module = '', tokens = [] } = {}] = (await keeper.call(keys.calls.found, {})).modules
  await keeper.call(keys.calls.register, {
    name: label,
    module,
    label,
    serial: tokens.find((one) => one.label === label)?.serial ?? '',
    pin: '246810',
  })
  const username = `invited.${tenancy.id.slice(-6)}`
  await tenancy.administrator.call(users.calls.add, {
    username,
    givenName: 'In',
    familyName: 'Vited',
    emailAddress: `${username}@example.org`,
  })
  await tenancy.administrator.call(revocation.calls.revoke, { certId: certificateId, reason: 'superseded' })
  await tenancy.administrator.call(revocation.calls.runDrill, { status: ['revoked'] })
  await tenancy.administrator.call(bulk.calls.prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: true },
    query: { status: ['revoked'] },
  })
  const enrolled = await addTemplate('User', { class: 'AUTONENROLLUSER' })
  await tenancy.administrator.call(enrolment.calls.add, { name: 'Everybody', entity: 'user', templateId: enrolled })
  // Stores a finding of a scan directly, because a scan needs an allowed network with servers in it.
  await withTenancy(house.house, tenancy.id, (own) =>
    insertFinding(own, crypto.randomUUID(), {
      address: '192.0.2.1',
      port: 443,
      server_name: 'found.example.org',
      fingerprint: 'a'.repeat(64),
      certificate: Buffer.from([0]),
      subject: 'CN=found.example.org',
      issuer: 'CN=Somebody else',
      names: ['found.example.org'],
      not_before: own.now,
      not_after: own.now,
      protocol: 'TLSv1.3',
      key_type: 'P-256',
      reasons: [],
      provider: 'network',
      provider_id: '',
      place: '',
    }),
  )
  for (const area of order) for (const example of Object.values(await examplesOf(area)).flat()) await example(tenancy.administrator)
}

type Counted = { table: string; columns: string[] }

async function tenantTables(): Promise<Counted[]> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select columns.table_name as "table", column_name as "column", data_type as type from information_schema.columns
    where table_schema = 'public' and exists (select from information_schema.columns own where own.table_schema = 'public' and own.table_name = columns.table_name and own.column_name = 'tenant_id')
      and columns.table_name not in ('usernames', 'public_addresses')`.execute(house.house.database)
  return [...new Set(rows.map(({ table }) => table))].map((table) => ({
    table,
    columns: rows.filter((row) => row.table === table && row.type === 'uuid' && row.column !== 'tenant_id').map(({ column }) => column),
  }))
}

/** An id of each kind that the tenancy holds, by table and column. */
async function idsOf(tenantId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { table, columns } of await tenantTables()) {
    for (const column of columns) {
      const { rows } = await inTenant(house.house.database, tenantId, (db) =>
        sql<{
          id: string | null
        }>`select ${sql.ref(column)} as id from ${sql.table(table)} where ${sql.ref(column)} is not null limit 1`.execute(db),
      )
      if (typeof rows[0]?.id === 'string') found.set(`${table}.${column}`, rows[0].id)
    }
  }
  const { rows } = await inTenant(house.house.database, tenantId, (db) =>
    sql<{ reference: string }>`select ca_id || ':' || serial_hex as reference from certificates`.execute(db),
  )
  if (rows[0] !== undefined) found.set('certificates, as their address has them', rows[0].reference)
  return found
}

/** The ids without the references to records of which another one is tried: one of each kind is enough. */
async function oneOfEach(tenantId: string, ids: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const records = new Set<string>()
  for (const { table, columns } of await tenantTables()) {
    if (!columns.includes('id')) continue
    const { rows } = await inTenant(house.house.database, tenantId, (db) =>
      sql<{ id: string }>`select id from ${sql.table(table)}`.execute(db),
    )
    for (const { id } of rows) records.add(id)
  }
  return new Map([...ids].filter(([kind, id]) => kind.endsWith('.id') || !records.has(id)))
}

/** One id stands in many tables: it is asked about once, for all of them. */
const kindsById = (ids: ReadonlyMap<string, string>): Map<string, string[]> =>
  new Map([...Map.groupBy(ids, ([, id]) => id)].map(([id, kinds]) => [id, kinds.map(([kind]) => kind)]))

/** Everything that the tenancy holds, as one text; sign-ins by token are noted each minute and are not compared. */
async function contentsOf(tenantId: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const { table } of await tenantTables()) {
    if (['events', 'api_tokens'].includes(table)) continue
    const { rows } = await inTenant(house.house.database, tenantId, (db) =>
      sql<{
        digest: string
      }>`select coalesce(md5(string_agg(md5(row::text), '' order by row::text)), '') as digest from ${sql.table(table)} as row`.execute(db),
    )
    contents[table] = rows[0]?.digest ?? ''
  }
  return contents
}

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
function takesId(call: Call): boolean {
  const input = fitting(call)
  return isObject(input) && Object.keys(input).some((name) => idField.test(name))
}

// Waits long, because 24,000 requests take minutes on a busy machine.
test('the ids of another tenancy open nothing, change nothing, and are not even known to exist', { timeout: 600_000 }, async () => {
  const ids = await oneOfEach(theirs.tenancy.id, await idsOf(theirs.tenancy.id))
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
  const before = await contentsOf(theirs.tenancy.id)
  const told: unknown[] = []
  for (const call of calls) {
    const answersTo = async (id: string) =>
      new Map(
        await Promise.all(
          inputsWith(call, id).map(async ({ field, input }) => [field, withoutNew(await answerTo(call, input, id))] as const),
        ),
      )
    const nothing = { id: await answersTo(missingId), reference: await answersTo(missingReference) }
    const tellDifferent = async ([id, kinds]: [string, string[]]) => {
      for (const [field, answer] of await answersTo(id)) {
        const expected = nothing[id.includes(':') ? 'reference' : 'id'].get(field)
        if (answer !== expected)
          told.push({ call: `${call.area}.${call.name}`, field, kinds, answer: answer.slice(0, 300), expected: expected?.slice(0, 300) })
      }
    }
    for (const group of inGroups([...kindsById(ids)], width(call))) await Promise.all(group.map(tellDifferent))
  }
  expect(told).toEqual([])
  expect(await contentsOf(theirs.tenancy.id)).toEqual(before)
  expect(calls.length).toBeGreaterThan(30)
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
  const ids = await idsOf(mine.tenancy.id)
  const opened: [string, boolean][] = []
  // One call after the other: all at once would be thousands of connections in one moment.
  for (const call of calls.filter(
    ({ method, area, name }) => method === 'GET' && ![...ofManagement, ...ofOutsideAuthorities, ...byNumber].includes(`${area}.${name}`),
  )) {
    const answers = await Promise.all(
      [...kindsById(ids).keys()].flatMap((id) =>
        inputsWith(call, id).flatMap(({ field, input }) => {
          const fewer = withoutOptional(call, field, input)
          return [input, ...(Object.keys(fewer).length < Object.keys(input).length ? [fewer] : [])].map((one) => answerTo(call, one, id))
        }),
      ),
    )
    opened.push([`${call.area}.${call.name}`, answers.some((answer) => answer.startsWith('200'))])
  }
  expect(opened.filter(([, open]) => open === false)).toEqual([])
})
