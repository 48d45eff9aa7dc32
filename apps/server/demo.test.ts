import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvals } from '#areas/approvals/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { countRequests } from '#areas/certificates/server/requests/request-store.ts'
import type { Source } from '#areas/certificates/traits.ts'
import { discovery } from '#areas/discovery/contract.ts'
import { ordering } from '#areas/ordering/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { tickets } from '#areas/tickets/contract.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { useHouse } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { totp } from '#standards/totp/totp.ts'
import { ensureDemo } from './demo.ts'
import { openShares, type OpenKind } from './demo/estate.ts'
import type { Login } from './demo/logins.ts'

const size = { people: 40, certificates: 240 }
/** Beside them stand the certificates that external authorities have issued. */
const issuedHere: Source[] = ['requested', 'renewal', 'rule']

let logins: Login[]
let management: Caller
let openssl: ToolFolder
const said: string[] = []

const house = await useHouse()
beforeAll(async () => {
  openssl = openToolFolder()
  logins = await ensureDemo(house, (sentence) => void said.push(sentence), size)
  management = (await signIn(logins[0])).caller
})

afterAll(async () => {
  openssl.remove()
})

/** As the console does it: password, then code, then the session's cookies. Each time with the next code, because none counts twice. */
async function signIn(login: Login | undefined) {
  house.clock.advance(30_000)
  const cookies = new Map<string, string>()
  const post = async ({ path }: { path: string }, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    const response = await house.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response.json()
  }
  const first = await post(sessions.calls.login, { username: login?.username, password: login?.password })
  const [viewer] = sessions.calls.TOTPAuth.output.parse(
    await post(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(login?.codeSecret ?? ''), house.clock.now()) }),
  )
  return {
    first,
    viewer,
    caller: caller(house.origin, {
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
    }),
  }
}

/** The tenancies by name, and a look into each of them. */
async function inEachTenancy<T>(look: (name: string) => Promise<T>): Promise<Map<string, T>> {
  const [viewer] = await management.call(sessions.calls.legacyLogin, {})
  const seen = new Map<string, T>()
  for (const { id, name } of viewer?.managed ?? []) {
    await management.call(sessions.calls.switchTenancy, { tenantId: id })
    seen.set(name, await look(name))
  }
  return seen
}

test('the four printed accounts sign in with password and code, each in its role', async () => {
  const roles = []
  for (const login of logins) {
    const { first, viewer } = await signIn(login)
    expect(first).toMatchObject({ further_required_auth: 'TOTP' })
    roles.push([viewer?.username, viewer?.tenantName, viewer?.roles])
  }
  expect(roles).toEqual([
    [logins[0]?.username, 'Ministry of Infrastructure', ['Administrator']],
    [logins[1]?.username, 'City of Northbridge', ['Administrator']],
    [logins[2]?.username, 'City of Northbridge', ['Certificate officer']],
    [logins[3]?.username, 'City of Northbridge', ['Requester']],
  ])
})

test('three tenancies hold the people and the certificates between them, in every state', async () => {
  const states = ['active', 'expiring', 'expired', 'revoked', 'onHold'] as const
  const seen = await inEachTenancy(async () => ({
    people: (await management.call(users.calls.search, {})).total,
    newcomers: (await management.call(users.calls.creation, { days: 90 })).created,
    certificates: await Promise.all(
      states.map(async (status) => (await management.call(certificates.calls.search, { status: [status], source: issuedHere })).total),
    ),
  }))
  expect([...seen.keys()].sort()).toEqual(['Brightwater Utilities', 'City of Northbridge', 'Ministry of Infrastructure'])
  const all = [...seen.values()]
  expect(all.reduce((sum, { people, newcomers }) => sum + people - newcomers, 0)).toBe(size.people)
  const byState = states.map((_, at) => all.reduce((sum, one) => sum + (one.certificates[at] ?? 0), 0))
  expect(byState.reduce((sum, count) => sum + count, 0)).toBe(size.certificates)
  expect(Math.min(...byState.slice(0, -1))).toBeGreaterThan(size.certificates / 25)
  expect(byState.at(-1)).toBeGreaterThan(0)
})

test('the last ninety days saw people and roles, made by more than one', async () => {
  await inEachTenancy(async () => {
    const { created, origins } = await management.call(users.calls.creation, { days: 90 })
    expect([created > 0, origins.length > 0]).toEqual([true, true])
    const { recent } = await management.call(roles.calls.creation, { days: 90 })
    expect(recent.rows.length).toBeGreaterThanOrEqual(4)
    expect(new Set(recent.rows.map(({ createdBy }) => createdBy)).size).toBeGreaterThan(1)
    expect(recent.rows.map(({ createdBy }) => createdBy)).not.toContain('')
  })
})

test('requests wait, are ready to collect, were denied or withdrawn, and have failed', async () => {
  const planned = (kind: OpenKind) => Math.max(1, Math.round((size.certificates * openShares[kind]) / 1000))
  const statuses = {
    under_submission: planned('waiting'),
    incomplete: planned('awaitingKey'),
    denied: planned('denied') + planned('withdrawn'),
    error: planned('failed'),
  } as const
  const found = Object.fromEntries(Object.keys(statuses).map((status) => [status, 0]))
  for (const { id } of await listTenancies(house.house.database)) {
    for (const status of Object.keys(statuses) as (keyof typeof statuses)[]) {
      const filter = { text: '', status, ownerId: undefined, needsApproval: false, ids: undefined }
      found[status] = (found[status] ?? 0) + (await inTenant(house.house.database, id, (db) => countRequests(db, id, filter))).total
    }
  }
  expect(found).toEqual(statuses)
  const revocations = await inEachTenancy(async () => (await management.call(revocation.calls.search, { states: ['pending'] })).total)
  expect([...revocations.values()].reduce((sum, count) => sum + count, 0)).toBe(6)
  const officer = (await signIn(logins[2])).caller
  expect((await officer.call(approvals.calls.waiting, {})).total).toBeGreaterThan(0)
})

test('the desk has tickets in every status', async () => {
  const { rows, total } = await management.call(tickets.calls.search, { size: 100 })
  expect(total).toBe(12)
  expect(new Set(rows.map(({ ticketStatus }) => ticketStatus)).size).toBe(5)
})

test('orders from an external authority are obtained, wait for a person, and have failed', async () => {
  const states = await inEachTenancy(async () =>
    Promise.all(
      (['obtained', 'underWay', 'failed'] as const).map(async (state) => (await management.call(ordering.calls.orders, { state })).total),
    ),
  )
  expect([...states.values()]).toEqual(Array.from({ length: 3 }, () => [3, 1, 1]))
})

test('each kind of provider has been read and holds findings', async () => {
  const kinds = ['directory', 'aws', 'azure', 'ct'] as const
  const found = await inEachTenancy(async () =>
    Promise.all(
      kinds.map(async (kind) => {
        const { providers } = await management.call(discovery.calls.providers, { kind })
        return providers.map((one) => [one.state, one.found > 0])
      }),
    ),
  )
  for (const ofTenancy of found.values()) expect(ofTenancy).toEqual(kinds.map(() => [['done', true]]))
})

test('a key that was compromised is nobody else’s', async () => {
  const others = await inEachTenancy(async () => {
    const { rows } = await management.call(certificates.calls.search, { status: ['revoked'], size: 100 })
    const infos = await Promise.all(rows.map(({ certificateId }) => management.call(certificates.calls.info, { certId: certificateId })))
    const compromised = infos.filter(({ certificate }) => certificate.revocationReason === 'keyCompromise')
    return Promise.all(
      compromised.map(
        async ({ certificate: { certificateId } }) => (await management.call(revocation.calls.siblings, { certId: certificateId })).total,
      ),
    )
  })
  const totals = [...others.values()].flat()
  expect(totals.length).toBeGreaterThan(0)
  expect(totals.filter((total) => total > 0)).toEqual([])
})

test('OpenSSL verifies what was issued in the past, and finds the revoked ones on the lists', async () => {
  const samples = await inEachTenancy(async (name) => {
    const found = []
    for (const status of ['active', 'expired', 'revoked'] as const) {
      const { rows } = await management.call(certificates.calls.search, { status: [status], source: issuedHere, size: 10 })
      for (const row of rows.slice(0, 2)) {
        const { certificate } = await management.call(certificates.calls.info, { certId: row.certificateId })
        const chain = await management.call(certificates.calls.download, { certId: row.certificateId, format: 'chain' })
        const crl = await house.fetch(new URL(certificate.crl).pathname)
        found.push({
          name,
          status,
          row,
          chain: Buffer.from(chain.content, 'base64').toString(),
          crl: encodePem('X509 CRL', new Uint8Array(await crl.arrayBuffer())),
        })
      }
    }
    return found
  })
  for (const { name, status, row, chain, crl } of [...samples.values()].flat()) {
    const [leaf = '', ...above] = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? []
    openssl.write('leaf.pem', leaf)
    openssl.write('above.pem', above.join(''))
    openssl.write('root.pem', above.at(-1) ?? '')
    openssl.write('crl.pem', crl)
    const ended = new Date(row.notAfter) < house.clock.now()
    // A list of today says nothing about a day in the past.
    const about = ended ? ['-attime', String(Math.floor(Date.parse(row.notAfter) / 1000) - 3600)] : ['-crl_check', '-CRLfile', 'crl.pem']
    const { ok, text } = openssl.ask(
      'openssl',
      'verify',
      '-x509_strict',
      '-CAfile',
      'root.pem',
      '-untrusted',
      'above.pem',
      ...about,
      'leaf.pem',
    )
    const revokedNow = status === 'revoked' && !ended
    expect
      .soft({ name, subject: row.subject, ok, revoked: text.includes('certificate revoked') })
      .toEqual({ name, subject: row.subject, ok: !revokedNow, revoked: revokedNow })
  }
  expect([...samples.values()].flat().length).toBeGreaterThan(12)
})

test('the second start says where the passwords were printed and none of them', async () => {
  const later: string[] = []
  expect(await ensureDemo(house, (sentence) => void later.push(sentence), size)).toEqual([])
  const first = said.join('\n')
  const second = later.join('\n')
  for (const { username, password, codeSecret } of logins) {
    expect(first).toContain(`${username} `)
    expect(first).toContain(password)
    expect(first).toContain(codeSecret)
    expect(second).toContain(username)
    expect(second).not.toContain(password)
    expect(second).not.toContain(codeSecret)
  }
})
