import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWebServer } from '#areas/acme/server/client.fixture.ts'
import { mail } from '#areas/mail/contract.ts'
import { setup } from '#areas/setup/contract.ts'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { domains } from '../contract.ts'
import { filePath } from '../rules.ts'
import { isDomainProved, listProvedDomains, tenancyOfDomain } from '../service.ts'
import { isGone, seekProof } from './proof.ts'
import { settle } from './settle.ts'
import { listNames } from './store.ts'

const dns = await openNameServer({})
const web = await openWebServer()
const house = await useHouse({
  settings: { CHANCERY_NAME_SERVERS: dns.address, CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' },
})
afterAll(() => Promise.all([dns.close(), web.close()]))

const { search, read, add, change, check, remove, use } = domains.calls
const day = 86_400_000
let acme: TestTenancy
let globex: TestTenancy
let ada: TestPerson
let grace: TestPerson

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
  ada = acme.administrator
  grace = globex.administrator
})

const claim = async (by: TestPerson, name: string) => by.call(read, await by.call(add, { name }))
const setRecord = (...claims: { recordName: string; proofText: string }[]) =>
  dns.names.set(
    claims[0]?.recordName ?? '',
    claims.map(({ proofText }) => ({ type: 'TXT', value: proofText })),
  )

/** Claims it and proves it by a record. */
async function prove(by: TestPerson, name: string) {
  const claimed = await claim(by, name)
  setRecord(claimed)
  expect(await by.call(check, { id: claimed.id })).toMatchObject({ state: 'proved', proved: true })
  return claimed
}

const isProved = (tenancy: TestTenancy, name: string) => withTenancy(house.house, tenancy.id, (own) => isDomainProved(own, name))
const ownerOf = (name: string) => tenancyOfDomain(house.house.database, name)

/** The job as it runs so many days later, day by day. */
async function afterDays(days: number) {
  for (let passed = 0; passed < days; passed += 1) {
    house.clock.advance(day)
    await house.runJob(domains.jobs.recheck)
  }
}

describe('A domain', () => {
  test('counts for nobody before control is proved, and for the tenancy that set the record', async () => {
    const claimed = await claim(ada, ' Example.COM. ')
    expect(claimed).toMatchObject({ name: 'example.com', state: 'claimed', recordName: '_chancery-challenge.example.com' })
    expect(await isProved(acme, 'example.com')).toBe(false)
    expect(await ada.call(check, { id: claimed.id })).toMatchObject({
      state: 'claimed',
      seen: [{ way: 'dns', problem: 'noRecord' }, {}, {}],
    })
    dns.names.set(claimed.recordName, [{ type: 'TXT', value: 'chancery-domain-verification=guessed' }])
    expect(await ada.call(check, { id: claimed.id })).toMatchObject({ seen: [{ problem: 'otherRecord' }, {}, {}] })
    dns.names.set(claimed.recordName, [
      { type: 'TXT', value: 'v=spf1 -all' },
      { type: 'TXT', value: claimed.proofText },
    ])
    expect(await ada.call(check, { id: claimed.id })).toMatchObject({ state: 'proved', proved: true, seen: [] })
    expect(await isProved(acme, 'EXAMPLE.com')).toBe(true)
    expect(await isProved(globex, 'example.com')).toBe(false)
    expect(await ownerOf('example.com')).toBe(acme.id)
    expect(await withTenancy(house.house, acme.id, listProvedDomains)).toEqual(['example.com'])
    const events = (await audited(house, acme.id)).filter(({ about }) => about === claimed.id)
    expect(events.map(({ name }) => name)).toEqual(['added', 'proved'])
  })

  test.each([
    ['example', 'one label'],
    ['192.0.2.1', 'an address'],
    ['*.example.com', 'a wildcard'],
    ['example.com/path', 'a path'],
    ['ada@example.com', 'a user'],
    ['example.com:8443', 'a port'],
    ['exa mple.com', 'a space'],
    ['-example.com', 'a label that begins with a hyphen'],
    [`${'a'.repeat(64)}.com`, 'a label of 64'],
    ['0x7f.1', 'an address in another spelling'],
    ['[::1].com', 'brackets'],
  ])('is not %s: %s', async (name) => {
    await expect(ada.call(add, { name })).rejects.toMatchObject({ status: 400, fields: [{ field: 'name' }] })
  })

  test('is read with A-labels, so that a look-alike is another one, and stands in the list once', async () => {
    const { id } = await claim(ada, 'bücher.example')
    expect((await ada.call(read, { id })).name).toBe('xn--bcher-kva.example')
    await expect(ada.call(add, { name: 'XN--BCHER-KVA.example' })).rejects.toMatchObject({ status: 409, code: 'nameTaken' })
    expect((await claim(ada, 'bucher.example')).name).toBe('bucher.example')
    expect((await ada.call(search, { text: 'bucher' })).rows.map(({ name }) => name)).toEqual(['bucher.example'])
  })

  test('does not stand for names that only end alike, and for names below it where its record was told so', async () => {
    const { id } = await prove(ada, 'corp.test')
    expect(await ownerOf('mail.corp.test')).toBeUndefined()
    await ada.call(change, { id, includesSubdomains: true, version: (await ada.call(read, { id })).version })
    expect(await ownerOf('mail.corp.test')).toBe(acme.id)
    expect(await ownerOf('a.b.corp.test')).toBe(acme.id)
    expect(await ownerOf('evil-corp.test')).toBeUndefined()
    expect(await ownerOf('corp.test.evil.example')).toBeUndefined()
    await prove(grace, 'labs.corp.test')
    expect(await ownerOf('labs.corp.test')).toBe(globex.id)
    expect(await isProved(acme, 'labs.corp.test')).toBe(false)
    await expect(ada.call(change, { id, includesSubdomains: false, version: 1 })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('that was told to stand for names below it while a file was looked for is not proved by that file', async () => {
    const { id } = await claim(ada, 'meanwhile.example')
    await ada.call(change, { id, includesSubdomains: true, version: (await ada.call(read, { id })).version })
    const settled = await house.house.work(acme.id, { name: 'Domains' }, ({ tenancy, emitFor }) =>
      settle({ tenancy, emit: emitFor(domains), house: house.house, counted: false }, id, { proof: 'http', seen: [] }),
    )
    expect(settled).toEqual({ state: 'claimed' })
    expect(await isProved(acme, 'meanwhile.example')).toBe(false)
  })

  test('is proved for one tenancy at a time, and for another one once the first proof is gone', async () => {
    const first = await prove(ada, 'moved.test')
    const second = await claim(grace, 'moved.test')
    setRecord(first, second)
    await expect(grace.call(check, { id: second.id })).rejects.toMatchObject({ status: 409, code: 'provedElsewhere' })
    expect(await ownerOf('moved.test')).toBe(acme.id)
    setRecord(second)
    expect(await grace.call(check, { id: second.id })).toMatchObject({ state: 'proved' })
    expect(await ownerOf('moved.test')).toBe(globex.id)
    expect(await ada.call(read, { id: first.id })).toMatchObject({ state: 'lapsed' })
    expect((await audited(house, acme.id)).filter(({ about }) => about === first.id).map(({ name }) => name)).toContain('lapsed')
  })

  test('of another tenancy is missing, and is neither checked nor removed', async () => {
    const { id } = await claim(ada, 'private.test')
    for (const ask of [() => grace.call(read, { id }), () => grace.call(check, { id }), () => grace.call(remove, { id })])
      await expect(ask()).rejects.toMatchObject({ status: 404, code: 'missing' })
    expect((await grace.call(search, { text: 'private.test' })).total).toBe(0)
  })

  test('that is removed counts no longer, and can be added and proved anew with another text', async () => {
    const { id, proofText } = await prove(ada, 'removed.test')
    await ada.call(remove, { id })
    expect(await ownerOf('removed.test')).toBeUndefined()
    const again = await claim(ada, 'removed.test')
    expect(again.proofText).not.toBe(proofText)
    expect(await ada.call(check, { id: again.id })).toMatchObject({ proved: false })
  })

  test('stands in the list of a new tenancy from the beginning, where it was made with one', async () => {
    const draft = (name: string) => ({
      name,
      administrator: { username: name.toLowerCase(), givenName: 'New', familyName: 'One', emailAddress: `${name}@new.test` },
    })
    const { oid } = await ada.call(setup.calls.addTenancy, { ...draft('Fresh'), domain: 'Fresh.example' })
    expect(await withTenancy(house.house, oid, listNames)).toEqual(['fresh.example'])
    expect(await ownerOf('fresh.example')).toBeUndefined()
    await expect(ada.call(setup.calls.addTenancy, { ...draft('Refused'), domain: 'no domain' })).rejects.toMatchObject({
      code: 'notADomain',
    })
  })

  test('says how many people have an address in it', async () => {
    await claim(ada, 'people.test')
    await acme.person({ permissions: [], emailAddress: 'One@People.test' })
    await acme.person({ permissions: [], emailAddress: 'two@people.test' })
    await acme.person({ permissions: [], emailAddress: 'three@evil-people.test' })
    expect((await ada.call(use, {})).domains['people.test']).toMatchObject([{ count: 2, path: '/search/user' }])
  })
})

describe('A file', () => {
  const urls = () => [`http://127.0.0.1:${web.port}${filePath}`]
  const wanted = () => ({ tenant_id: acme.id, name: 'file.test', token: 'abc', includes_subdomains: false })

  test('proves a domain by a line of its own; another text, a redirect and silence do not', async () => {
    const seek = async () => seekProof(house.house, wanted(), urls())
    expect(await seek()).toMatchObject({ seen: [{ way: 'dns' }, { way: 'http', problem: 'status', detail: '404' }] })
    web.files.set(filePath, 'xchancery-domain-verification=abc\n')
    expect((await seek()).seen[1]).toMatchObject({ problem: 'otherFile' })
    web.files.set(filePath, 'chancery-domain-verification=other\r\nchancery-domain-verification=abc\r\n')
    expect(await seek()).toMatchObject({ proof: 'http' })
    expect(await seekProof(house.house, { ...wanted(), includes_subdomains: true }, urls())).toMatchObject({ seen: [{ way: 'dns' }] })
    web.answer = () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' })
    expect((await seek()).proof).toBeUndefined()
    dns.names.set('_chancery-challenge.file.test', 'broken')
    const silent = await seek()
    expect([isGone('dns', silent), isGone('http', silent)]).toEqual([false, true])
  })
})

describe('The proof', () => {
  test('is looked for again: after three checks without it the domain lapses, and counts again when it is back', async () => {
    const { id, recordName } = await prove(ada, 'weekly.test')
    const record = dns.names.get(recordName) ?? []
    dns.names.delete(recordName)
    await afterDays(6)
    expect(await ada.call(read, { id })).toMatchObject({ state: 'proved', failures: 0 })
    await afterDays(1)
    expect(await ada.call(read, { id })).toMatchObject({ state: 'proved', failures: 1 })
    expect(await isProved(acme, 'weekly.test')).toBe(true)
    await afterDays(2)
    expect(await ada.call(read, { id })).toMatchObject({ state: 'lapsed' })
    expect(await isProved(acme, 'weekly.test')).toBe(false)
    const subjects = (await ada.call(mail.calls.outbox, { size: 100 })).rows
      .map(({ subject }) => subject)
      .filter((one) => one.includes('weekly'))
    expect(subjects.toSorted()).toEqual(['The domain weekly.test is proved no longer', 'The proof of weekly.test is missing'])
    dns.names.set(recordName, record)
    await afterDays(1)
    expect(await isProved(acme, 'weekly.test')).toBe(true)
  })

  test('that never comes lets a claim be forgotten after 30 days', async () => {
    const { id } = await claim(ada, 'never.test')
    house.clock.advance(31 * day)
    await house.runJob(domains.jobs.recheck)
    await expect(ada.call(read, { id })).rejects.toMatchObject({ code: 'missing' })
    expect((await audited(house, acme.id)).filter(({ about }) => about === id).map(({ name }) => name)).toEqual(['added', 'expired'])
  })

  test('is not taken from a tenancy by name servers that give no answer', async () => {
    const first = await prove(ada, 'silent.test')
    const second = await claim(grace, 'silent.test')
    let asked = 0
    dns.names.set(second.recordName, () => ((asked += 1) === 1 ? [{ type: 'TXT', value: second.proofText }] : 'broken'))
    await expect(grace.call(check, { id: second.id })).rejects.toMatchObject({ code: 'provedElsewhere' })
    expect(await ada.call(read, { id: first.id })).toMatchObject({ state: 'proved' })
  })
})
