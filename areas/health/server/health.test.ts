import { createServer, request as ask, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { movedSentence } from '#areas/authorities/moved.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { home } from '#areas/home/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { health } from '../contract.ts'

const { calls } = health
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

// What stands between the world and the house, as a proxy does: it passes everything on, until a test says otherwise.
type Between = 'open' | 'away' | 'spoilsAnswers' | 'keepsLists'
let between: Between = 'open'
const kept = new Map<string, { headers: Record<string, string | string[] | undefined>; body: Buffer }>()
let gateway: Server
let house: TestHouse
let acme: TestTenancy
let ada: TestPerson

beforeAll(async () => {
  gateway = createServer((incoming, outgoing) => {
    if (between === 'away') return void outgoing.destroy()
    const path = incoming.url ?? ''
    const known = kept.get(path)
    if (between === 'keepsLists' && known !== undefined) return void outgoing.writeHead(200, known.headers).end(known.body)
    const passed = ask(`${house.origin}${path}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const body = Buffer.concat(parts)
        if (path.endsWith('.crl')) kept.set(path, { headers: answer.headers, body })
        // The last byte belongs to the signature.
        if (between === 'spoilsAnswers' && path.startsWith('/pki/ocsp/'))
          body.writeUInt8(body.readUInt8(body.length - 1) ^ 1, body.length - 1)
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body)
      })
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const { port } = gateway.address() as AddressInfo
  house = await openTestHouse({ settings: { CHANCERY_PKI_URL: `http://localhost:${port}` } })
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: 'all', username: 'ada' })
  await acme.person({ permissions: ['monitor', 'manageCAs'], username: 'grace' })
  await acme.person({ permissions: ['certView'], username: 'eve' })
})
afterAll(async () => {
  await house.close()
  gateway.close()
})
afterEach(() => void (between = 'open'))

const openssl = openSsl()
afterAll(() => openssl.close())

let made = 0
async function authority(
  draft: { validityPeriod?: number; validityPeriodUnits?: 'DAYS' | 'YEARS' } = {},
): Promise<{ caId: string; name: string }> {
  const name = `CA ${(made += 1)}`
  const { caId } = await ada.call(authorities.calls.create, { kind: 'root', friendlyName: name, subject: { CN: name }, ...draft })
  return { caId, name }
}
const watch = () => house.runJob(health.jobs.watch)
const publish = () => house.runJob(revocation.jobs.lists)
const stateOf = async (caId: string) => (await ada.call(calls.authority, { caId })).state
const checkOf = async (caId: string, kind: string) =>
  (await ada.call(calls.authority, { caId })).checks.find((check) => check.kind === kind)
const messages = async (name: string) =>
  (await ada.call(mail.calls.outbox, { size: 100 })).rows
    .filter(({ kind, subject }) => kind === 'authorityHealth' && subject.endsWith(`: ${name}`))
    .toReversed()
const subjects = async (name: string, to = 'grace') =>
  (await messages(name)).filter((message) => message.to.startsWith(`${to}@`)).map(({ subject }) => subject)

describe('An authority that does what it must', () => {
  test('is in order, as its public addresses show', async () => {
    const { caId, name } = await authority()
    await publish()
    await watch()
    const { checks, state, nextUpdate } = await ada.call(calls.authority, { caId })
    expect(checks.map(({ kind, finding }) => [kind, finding])).toEqual([
      ['lists', 'fine'],
      ['served', 'fine'],
      ['ocsp', 'fine'],
      ['key', 'fine'],
      ['life', 'fine'],
    ])
    expect([state, nextUpdate === undefined]).toEqual(['ok', false])
    expect((await ada.call(calls.overview, { text: name })).rows).toMatchObject([{ caName: name, state: 'ok' }])
    expect(await subjects(name)).toEqual([])
  })

  test('stays so with a signer of its answers and with delta lists', async () => {
    const { caId } = await authority()
    await ada.call(revocation.calls.setPublication, {
      caId,
      shards: 2,
      delta: true,
      deltaMinutes: 60,
      responderId: 'byKey',
      signedBy: 'signer',
    })
    await house.runJob(revocation.jobs.signers)
    await publish()
    expect(await ada.call(calls.checkNow, { caId })).toEqual({ state: 'ok' })
    expect(await checkOf(caId, 'signer')).toMatchObject({ finding: 'fine' })
    expect((await ada.call(calls.authority, { caId })).signerUntil).toBeDefined()
  })
})

describe('An authority whose certificates name another address than the server is set to', () => {
  test('is told of at the start and on its page with both addresses, and goes on as before', async () => {
    const { caId, name } = await authority()
    const { settings } = house.house
    const [from, to] = [settings.pkiUrl, 'http://pki.new.example']
    expect((await ada.call(calls.authority, { caId })).moved).toBeUndefined()
    expect(await movedSentence(house.house)).toBeUndefined()
    // As the next start finds it.
    settings.pkiUrl = to
    onTestFinished(() => void (settings.pkiUrl = from))
    expect((await ada.call(calls.authority, { caId })).moved).toEqual({ from, to })
    expect((await ada.call(calls.overview, { text: name })).rows[0]).toMatchObject({ moved: { from, to }, state: 'ok' })
    expect(await movedSentence(house.house)).toMatch(
      new RegExp(
        `^The certificates of (one authority|\\d+ authorities) name ${from} for revocation lists and OCSP, and this server is set to ${to} \\(CHANCERY_PKI_URL\\)\\. .*: keep it reaching this server`,
      ),
    )
  })
})

describe('A list that is not made', () => {
  test('is told when it is overdue and when it has ended, once each, and when all is in order again', async () => {
    const { caId, name } = await authority()
    await publish()
    await watch()
    house.clock.advance(25 * hour)
    await watch()
    await watch()
    expect(await checkOf(caId, 'lists')).toMatchObject({ state: 'late', finding: 'listOverdue', params: { list: 'whole list' } })
    expect(await subjects(name)).toEqual([`Needs attention: ${name}`])
    house.clock.advance(24 * hour)
    await watch()
    expect(await stateOf(caId)).toBe('failing')
    expect((await messages(name)).map(({ to }) => to.split('@')[0]).toSorted()).toEqual([
      'ada',
      'ada',
      acme.administrator.username,
      acme.administrator.username,
      'grace',
      'grace',
    ])
    await publish()
    await watch()
    expect(await stateOf(caId)).toBe('ok')
    expect(await subjects(name)).toEqual([`Needs attention: ${name}`, `Needs attention: ${name}`, `In order again: ${name}`])
    const events = (await audited(house, acme.id))
      .filter((event) => event.name === 'stateChanged' && event.about === caId)
      .map(({ body }) => JSON.parse(body))
    expect(events).toMatchObject([
      { from: 'ok', to: 'late' },
      { from: 'late', to: 'failing' },
      { from: 'failing', to: 'ok' },
    ])
  })
})

describe('A public address', () => {
  test('that is out of reach counts from the second time on, and no longer when it is back', async () => {
    const { caId, name } = await authority()
    await publish()
    await watch()
    between = 'away'
    house.clock.advance(6 * minute)
    await watch()
    expect(await stateOf(caId)).toBe('ok')
    await watch()
    expect((await ada.call(calls.authority, { caId })).checks.filter(({ state }) => state === 'failing')).toMatchObject([
      { finding: 'servedUnreachable' },
      { finding: 'ocspUnreachable' },
    ])
    expect((await ada.call(home.calls.waiting, {})).counts['authorities']).toBeGreaterThan(0)
    expect(await house.fetch('/metrics').then((answer) => answer.text())).toContain(`chancery_authority_health{authority="${caId}"} 2`)
    between = 'open'
    await watch()
    expect(await stateOf(caId)).toBe('ok')
    expect(await subjects(name)).toEqual([`Needs attention: ${name}`, `In order again: ${name}`])
    expect((await ada.call(calls.overview, { state: ['late', 'failing'] })).rows).toEqual([])
    expect(await ada.call(home.calls.waiting, {})).toMatchObject({ counts: { authorities: 0 } })
  })

  test('that gives out spoilt answers or old lists is found out', async () => {
    const { caId } = await authority()
    await publish()
    between = 'spoilsAnswers'
    await ada.call(calls.checkNow, { caId })
    await ada.call(calls.checkNow, { caId })
    expect(await checkOf(caId, 'ocsp')).toMatchObject({
      state: 'failing',
      finding: 'ocspWrong',
      params: { problem: 'its signature is wrong' },
    })
    between = 'keepsLists'
    house.clock.advance(hour)
    await ada.call(revocation.calls.makeList, { caId })
    house.clock.advance(16 * minute)
    await ada.call(calls.checkNow, { caId })
    await ada.call(calls.checkNow, { caId })
    expect(await checkOf(caId, 'served')).toMatchObject({ state: 'late', finding: 'servedOld' })
    expect(await checkOf(caId, 'ocsp')).toMatchObject({ state: 'ok' })
  })
})

test('Two looks at once record what they find once, and tell it once', async () => {
  const { caId, name } = await authority()
  await publish()
  between = 'away'
  await ada.call(calls.checkNow, { caId })
  const checks = await heldUp<unknown>(house, 'lock table events in share mode', [
    () => ada.call(calls.checkNow, { caId }),
    () => ada.call(calls.checkNow, { caId }),
  ])
  expect(checks).toMatchObject([
    { status: 'fulfilled', value: { state: 'failing' } },
    { status: 'fulfilled', value: { state: 'failing' } },
  ])
  const told = (await audited(house, acme.id))
    .filter((event) => event.name === 'stateChanged' && event.about === caId)
    .map(({ body }) => JSON.parse(body).check)
  expect(told.toSorted()).toEqual(['ocsp', 'served'])
  expect(await subjects(name)).toEqual([`Needs attention: ${name}`])
})

describe('The end of an authority', () => {
  test('is told at each step, and says from when on its templates no longer fit', async () => {
    const { caId, name } = await authority({ validityPeriod: 3, validityPeriodUnits: 'YEARS' })
    const { templateId } = await ada.call(templates.calls.add, {
      templateName: 'A year',
      caId,
      class: 'DEVICE',
      extensions: { validityPeriod: 1, validityPeriodUnits: 'YEARS' },
      rules: { keys: ['P-256'] },
    })
    const { warnsAt, shortened, notAfter = '', cutShort } = await ada.call(calls.authority, { caId })
    expect([warnsAt, cutShort.count]).toEqual([[180, 90, 30, 7], 0])
    expect(shortened).toMatchObject([{ templateId, templateName: 'A year' }])
    const from = new Date(shortened[0]?.from ?? '')
    expect((Date.parse(notAfter) - from.getTime()) / day).toBeGreaterThan(364)
    expect((Date.parse(notAfter) - from.getTime()) / day).toBeLessThan(367)
    const back = house.clock.now().getTime()
    for (const left of [179, 100, 89, 29, 6, -1]) {
      house.clock.advance(Date.parse(notAfter) - left * day - house.clock.now().getTime())
      await watch()
    }
    expect(await checkOf(caId, 'life')).toMatchObject({ state: 'failing', finding: 'lifeEnded' })
    expect((await ada.call(calls.authority, { caId })).shortened).toEqual([{ templateId, templateName: 'A year' }])
    const told = (await messages(name)).filter(({ to }) => to.startsWith('grace@'))
    const texts = await Promise.all(told.map(async ({ id }) => (await ada.call(mail.calls.read, { id })).text))
    expect(texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('Lifetime of the authority'))).length).toBe(5)
    house.clock.advance(8 * day)
    await watch()
    expect((await ada.call(calls.authority, { caId })).checks).toEqual([])
    house.clock.advance(back - house.clock.now().getTime())
  })
})

test('The end of an authority whose successor has taken over alarms nobody', async () => {
  const { caId, name } = await authority({ validityPeriod: 100, validityPeriodUnits: 'DAYS' })
  await ada.call(authorities.calls.succeed, { caId, friendlyName: `${name} G2` })
  const back = house.clock.now().getTime()
  house.clock.advance(96 * day)
  await watch()
  expect(await checkOf(caId, 'life')).toMatchObject({ finding: 'lifeNearEnd' })
  await ada.call(authorities.calls.takeOver, { caId })
  await watch()
  expect(await checkOf(caId, 'life')).toBeUndefined()
  house.clock.advance(back - house.clock.now().getTime())
})

describe('Certificates that an authority cuts short', () => {
  test('are counted, and the inventory finds exactly them', async () => {
    const { caId } = await authority({ validityPeriod: 100, validityPeriodUnits: 'DAYS' })
    const add = async (templateName: string, validityPeriod: number) =>
      (
        await ada.call(templates.calls.add, {
          templateName,
          caId,
          class: 'DEVICE',
          extensions: { validityPeriod, validityPeriodUnits: 'DAYS', extendedUsages: ['serverAuth'] },
          rules: { keys: ['P-256'] },
        })
      ).templateId
    const [long, short] = [await add('Long', 365), await add('Short', 30)]
    for (const [templateId, name] of [
      [long, 'a.example.org'],
      [long, 'b.example.org'],
      [short, 'c.example.org'],
    ] as const)
      await ada.call(certificates.calls.requestForDevice, {
        templateId,
        csr: openssl.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr,
        values: { CommonName: [name], DNS: [name] },
      })
    const { cutShort, shortened } = await ada.call(calls.authority, { caId })
    expect(cutShort).toMatchObject({ count: 2, more: false })
    expect((await ada.call(certificates.calls.search, { caId: [caId], ends: cutShort.span, facets: false })).total).toBe(2)
    expect(shortened.map(({ templateName, from }) => [templateName, from === undefined])).toEqual([
      ['Long', true],
      ['Short', false],
    ])
  })
})

describe('What authorities give one another, and those whose key is elsewhere,', () => {
  test('are watched for their ends, and a list that nobody brings is missed', async () => {
    const [one, other] = [await authority(), await authority()]
    await ada.call(authorities.calls.crossCertify, {
      caId: one.caId,
      otherCaId: other.caId,
      validityPeriod: 400,
      validityPeriodUnits: 'DAYS',
    })
    const [offline, back] = [`Vault ${(made += 1)}`, house.clock.now().getTime()]
    const certificate = openssl.run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      '/dev/null',
      '-subj',
      `/CN=${offline}`,
      '-days',
      '3650',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    )
    const { caId: offlineId } = await ada.call(authorities.calls.addOffline, { friendlyName: offline, certificate })
    await watch()
    expect(await checkOf(one.caId, 'cross')).toMatchObject({ state: 'ok' })
    expect(await checkOf(offlineId, 'lists')).toMatchObject({ state: 'late', finding: 'listNotBrought' })
    house.clock.advance(390 * day)
    await publish()
    await watch()
    for (const { caId } of [one, other])
      expect(await checkOf(caId, 'cross')).toMatchObject({
        state: 'failing',
        finding: 'crossNearEnd',
        params: { issuer: `CN=${one.name}`, subject: `CN=${other.name}` },
      })
    expect((await ada.call(calls.authority, { caId: other.caId })).crosses).toMatchObject([
      { subject: `CN=${other.name}`, issuer: `CN=${one.name}` },
    ])
    const { checks } = await ada.call(calls.authority, { caId: offlineId })
    expect(checks.map(({ kind, finding }) => [kind, finding])).toEqual([
      ['lists', 'listNotBrought'],
      ['life', 'fine'],
    ])
    house.clock.advance(back - house.clock.now().getTime())
  })
})

describe('Who does not want it', () => {
  test('gets no mail, and who may not see it is refused', async () => {
    const { caId, name } = await authority()
    await ada.call(mail.calls.chooseNotices, { unwanted: ['authorityHealth'] })
    between = 'away'
    await watch()
    await watch()
    expect([(await subjects(name, 'ada')).length, (await subjects(name, 'eve')).length, (await subjects(name)).length]).toEqual([0, 0, 1])
    const stranger = await (await house.tenancy('Globex')).person({ permissions: 'all' })
    expect((await stranger.call(calls.overview, {})).rows).toEqual([])
    for (const call of [calls.authority, calls.checkNow]) await expect(stranger.call(call, { caId })).rejects.toMatchObject({ status: 404 })
    const mallory = await acme.person({ permissions: ['certView'] })
    await expect(mallory.call(calls.overview, {})).rejects.toMatchObject({ status: 403 })
    await expect(mallory.call(calls.checkNow, { caId })).rejects.toMatchObject({ status: 403 })
  })
})
