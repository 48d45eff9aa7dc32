import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDirectory, person, base, reader, readerPassword } from '#areas/directories/server/slapd.fixture.ts'
import { domains } from '#areas/domains/contract.ts'
import { jobName } from '#core/contract/contract.ts'
import { readRuns } from '#core/server/job-runs.ts'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { discovery } from '../contract.ts'
import { mostPages, type ProviderKind } from '../rules.ts'
import { accessKey, client, openClouds } from './clouds.fixture.ts'
import { readPage } from './reading.ts'

const [clouds, ldap, dns] = [await openClouds(), await openDirectory(), await openNameServer({})]
const house = await useHouse({
  background: true,
  settings: { CHANCERY_NAME_SERVERS: dns.address, CHANCERY_OUTWARD_ALLOW: '127.0.0.0/8', CHANCERY_OUTWARD_PORTS: '1024-65535' },
})
afterAll(() => Promise.all([clouds.close(), ldap.stop(), dns.close()]))
const calls = discovery.calls
type Draft = { kind: ProviderKind; url: string; roots?: string; scope?: string; account?: string; login?: string; secret?: string }
let ada: TestPerson
beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
})

async function add(draft: Draft) {
  const { id } = await ada.call(calls.addProvider, { everyHours: 0, name: `${draft.kind} ${crypto.randomUUID()}`, ...draft })
  const one = async () => (await ada.call(calls.providers, { kind: draft.kind })).providers.find((row) => row.id === id)
  const until = async (state: string) => {
    await expect.poll(one, { interval: 100 }).toMatchObject({ state })
  }
  const read = async (state: string) => {
    await ada.call(calls.readProvider, { id })
    await until(state)
    return one()
  }
  return { id, one, read, until }
}
/** Begins to read, and pauses it while a page is under way. */
async function pauseMeanwhile(id: string): Promise<void> {
  const { promise: paused, resolve, reject } = Promise.withResolvers<unknown>()
  clouds.meanwhile = async () => {
    clouds.meanwhile = undefined
    await ada.call(calls.pauseProvider, { id, paused: true }).then(resolve, reject)
  }
  await ada.call(calls.readProvider, { id })
  await paused
}
const placesOf = async (kind: string) =>
  (await ada.call(calls.search, { size: 100 })).rows.filter(({ provider }) => provider === kind).map(({ place }) => place).toSorted() // prettier-ignore

const aws = () => ({ kind: 'aws', url: clouds.url, roots: clouds.roots, scope: 'eu-central-1', account: accessKey.id, secret: accessKey.secret }) as const // prettier-ignore
const azure = () => ({ kind: 'azure', url: clouds.url, login: clouds.url, roots: clouds.roots, scope: client.tenant, account: client.id, secret: client.secret }) as const // prettier-ignore
const log = (scope = '0') => ({ kind: 'ct', url: clouds.url, roots: clouds.roots, scope, account: clouds.log.publicKey }) as const

const asking = ({ kind: _kind, ...draft }: Draft) =>
  ({ tenant_id: ada.tenantId, roots: '', scope: '', account: '', login: '', secret: '', ...draft, cursor: '', domains: ['ct.test'] }) as const // prettier-ignore

describe('AWS', () => {
  test('lists certificates of the Certificate Manager page by page, of every kind of key, and server certificates of IAM', async () => {
    for (const name of ['a', 'b', 'c'])
      clouds.acm.set(`arn:aws:acm:eu-central-1:1:certificate/${name}`, clouds.certificate(`${name}.aws.test`))
    clouds.acm.set('arn:aws:acm:eu-central-1:1:certificate/pending', '')
    clouds.iam.set('old & grey', clouds.certificate('iam.aws.test'))
    const provider = await add(aws())
    expect(await provider.read('done')).toMatchObject({ found: 4, fresh: 4, refused: 1, says: '' })
    expect(await placesOf('aws')).toEqual([
      ...['a', 'b', 'c'].map((name) => `arn:aws:acm:eu-central-1:1:certificate/${name}`),
      'arn:aws:iam::1:server-certificate/old & grey',
    ])
  })

  test('that does not accept the key says so when it is tried, and nothing is kept', async () => {
    const { kind, ...draft } = aws()
    const tried = (secret: string) => ada.call(calls.tryProvider, { kind, ...draft, secret })
    await expect(tried('another')).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('AWS does not accept the access key') }) // prettier-ignore
    const before = (await ada.call(calls.search, {})).total
    expect(await tried(accessKey.secret)).toMatchObject({ found: 2, more: true, places: [expect.stringContaining('/a'), expect.stringContaining('/b')] }) // prettier-ignore
    expect((await ada.call(calls.search, {})).total).toBe(before)
    await expect(ada.call(calls.addProvider, { ...aws(), name: 'x', scope: 'EU west' })).rejects.toMatchObject({ code: 'badScope' })
  })
})

describe('A key vault', () => {
  test('is read page by page by a client that signs in, and its token goes to no other address', async () => {
    for (const name of ['one', 'two', 'three']) clouds.vault.set(name, clouds.certificate(`${name}.azure.test`))
    const provider = await add(azure())
    expect(await provider.read('done')).toMatchObject({ found: 3, fresh: 3, refused: 0 })
    expect(await placesOf('azure')).toEqual(['one', 'three', 'two'])
    clouds.nextLink = 'https://127.0.0.2:8443/certificates'
    expect(await provider.read('failed')).toMatchObject({ says: 'The vault sends on to another address' })
    clouds.nextLink = undefined
    await expect(ada.call(calls.tryProvider, { ...azure(), secret: 'another' })).rejects.toMatchObject({
      message: expect.stringContaining('Azure does not accept the client or its secret'),
    })
    const wrongs = [
      [{ login: 'https://127.0.0.2:1' }, 'login'],
      [{ roots: 'rubbish' }, 'roots'],
    ] as const
    for (const [wrong, field] of wrongs) {
      const draft = { ...azure(), name: 'Wrong', ...wrong }
      await expect(ada.call(calls.addProvider, draft)).rejects.toMatchObject({ fields: [{ field }] })
      await expect(ada.call(calls.tryProvider, draft)).rejects.toMatchObject({ fields: [{ field }] })
    }
    // A kept secret is lent to no other sign-in, and to no other client.
    for (const elsewhere of [{ login: 'https://127.0.0.2:8443' }, { account: 'client-2' }]) {
      const { secret: _secret, ...draft } = { ...azure(), ...elsewhere }
      await expect(ada.call(calls.tryProvider, { id: provider.id, ...draft })).rejects.toMatchObject({ code: 'secretNeeded' })
    }
  })
})

describe('A directory', () => {
  test('lists the certificates at its entries by their names', async () => {
    const base64 = (name: string) => clouds.certificate(name).replaceAll(/-----[^-]+-----|\s/g, '')
    ldap.modify(person('lea', `userCertificate;binary:: ${base64('lea.ldap.test')}`))
    ldap.modify(person('max', `userCertificate;binary:: ${base64('max.ldap.test')}\nuserCertificate;binary:: ${base64('max2.ldap.test')}`))
    ldap.modify(person('none'))
    const draft = { kind: 'directory', roots: ldap.certificate, scope: base, account: reader, secret: readerPassword } as const
    const provider = await add({ ...draft, url: `ldaps://127.0.0.1:${ldap.securePort}` })
    expect(await provider.read('done')).toMatchObject({ found: 3, fresh: 3, says: '' })
    const [lea, max] = ['lea', 'max'].map((uid) => `uid=${uid},ou=people,${base}`)
    expect(await placesOf('directory')).toEqual([lea, max, `${max} #2`])
    expect(await ada.call(calls.tryProvider, { ...draft, url: `ldap://127.0.0.1:${ldap.port}` })).toMatchObject({ found: 3, more: false })
    await expect(ada.call(calls.tryProvider, { ...draft, url: `ldap://127.0.0.1:${ldap.port}`, secret: 'x' })).rejects.toMatchObject({
      message: expect.stringContaining('The directory refused the account or its password'),
    })
    await expect(ada.call(calls.addProvider, { ...draft, name: 'x', url: 'http://127.0.0.1' })).rejects.toMatchObject({ code: 'badUrl' })
  })
})

describe('A log of certificate transparency', () => {
  test('is read for proved domains alone, on from where it was left, and only with a head that its key has signed', async () => {
    const [ours, theirs] = [clouds.certificate('www.ct.test'), clouds.certificate('www.not-ct.test')]
    const both = clouds.withPrecertificate('shop.ct.test')
    clouds.log.entries = Array.from({ length: 300 }, (_, at) => (at === 107 ? both : { pem: at % 100 === 7 ? ours : theirs }))
    const provider = await add(log())
    expect(await provider.read('failed')).toMatchObject({ says: expect.stringContaining('Prove control of a domain first') })
    const claimed = await ada.call(domains.calls.read, await ada.call(domains.calls.add, { name: 'ct.test' }))
    dns.names.set(claimed.recordName, [{ type: 'TXT', value: claimed.proofText }])
    expect(await ada.call(domains.calls.check, { id: claimed.id })).toMatchObject({ proved: true })

    expect(await provider.read('done')).toMatchObject({ found: 3, fresh: 3, refused: 0, says: 'Read to 300 of 300' })
    expect(await placesOf('ct')).toEqual(['107 (precertificate)', '207', '7'])
    clouds.log.entries.push({ pem: ours }, { pem: theirs })
    clouds.log.busy = true
    expect(await provider.read('failed')).toMatchObject({ says: expect.stringContaining('The log asks for more patience') })
    clouds.log.busy = false
    clouds.log.asked = []
    expect(await provider.read('done')).toMatchObject({ found: 1, fresh: 1, says: 'Read to 302 of 302' })
    expect(clouds.log.asked).toEqual(['300-301'])
    clouds.log.forged = true
    expect(await provider.read('failed')).toMatchObject({ says: 'The tree head is not signed by the key of the log' })
    clouds.log.forged = false
    clouds.log.entries = clouds.log.entries.slice(0, 10)
    expect(await provider.read('failed')).toMatchObject({ says: expect.stringContaining('it has taken entries back') })
    // A precertificate is no certificate, and is not taken over.
    const { rows } = await ada.call(calls.search, { text: 'precertificate' })
    expect(rows.map(({ provider: kind }) => kind)).toEqual(['ct'])
    await expect(ada.call(calls.addProvider, { ...log(), name: 'x', account: 'none' })).rejects.toMatchObject({ code: 'badAccount' })
    // What stands in the tree under a proof is believed, and nothing that is answered in its place.
    clouds.log.entries = Array.from({ length: 9 }, (_, at) => (at === 5 ? both : { pem: theirs }))
    clouds.log.shown.set(3, ours)
    expect(await (await add(log())).read('failed')).toMatchObject({ found: 0, says: 'The log does not prove that entry 3 stands in it' })
    clouds.log.shown.clear()
    clouds.log.shown.set(5, clouds.withPrecertificate('other.ct.test').pre)
    expect(await (await add(log())).read('done')).toMatchObject({ found: 0, refused: 1 })
    clouds.log.shown.clear()
    // Each of ours is proved by itself, so that a page ends where it holds many.
    clouds.log.entries = Array.from({ length: 34 }, () => ({ pem: ours }))
    clouds.log.asked = []
    expect(await (await add(log())).read('done')).toMatchObject({ found: 34, refused: 0, says: 'Read to 34 of 34' })
    expect(clouds.log.asked).toEqual(['0-33', '32-33'])
    // Without a number it begins at the present end.
    expect(await (await add(log(''))).read('done')).toMatchObject({ found: 0, says: 'Read to 34 of 34' })
  })
})

describe('A reading', () => {
  test('that never ends leaves the others their turns, and ends where it has read too many pages', async () => {
    const [endless, other] = [await add(azure()), await add(aws())]
    clouds.endless = true
    try {
      await ada.call(calls.readProvider, { id: endless.id })
      await expect.poll(endless.one).toMatchObject({ found: expect.toSatisfy((found: number) => found > 6) })
      await other.read('done')
      expect(await endless.one()).toMatchObject({ state: 'running' })
      // As one that has come far: nobody waits for so many pages in a test.
      await house.asOwner(`update discovery_providers set pages = ${mostPages.azure - 1} where id = '${endless.id}'`)
      await endless.until('failed')
      expect(await endless.one()).toMatchObject({ says: expect.stringContaining('it is read no further') })
    } finally {
      clouds.endless = false
    }
  })

  test('of a provider that lists more than it was asked for has failed, and asks for none of it', async () => {
    for (const name of ['one', 'two']) clouds.vault.set(name, clouds.certificate(`${name}.many.test`))
    clouds.acm.set('arn:aws:acm:eu-central-1:1:certificate/many', clouds.certificate('many.aws.test'))
    clouds.iam.set('many', clouds.certificate('many.iam.test'))
    clouds.times = 26
    try {
      const says = 'The answer of AWS is no list of certificates'
      expect(await (await add(aws())).read('failed')).toMatchObject({ found: 0, says })
      expect(await (await add(azure())).read('failed')).toMatchObject({
        found: 0,
        says: 'The answer of the vault is no list of certificates',
      })
      const asked = { ...asking(aws()), cursor: 'iam:' }
      await expect(readPage(house.house, 'aws', asked)).rejects.toThrow(says)
    } finally {
      clouds.times = 1
    }
  })

  test.each([
    ['aws', aws],
    ['azure', azure],
    ['ct', log],
    ['kubernetes', aws],
  ] as const)('of a page of %s that does not come to its end is given up whole', async (kind, draft) => {
    const time = new AbortController()
    clouds.silent = () => time.abort()
    try {
      await expect(readPage(house.house, kind, asking(draft()), time.signal)).rejects.toThrow(
        'It answers too slowly: a page of it takes longer than 60 seconds',
      )
    } finally {
      clouds.silent = undefined
    }
  })

  test('of a directory that says nothing is given up, too', async () => {
    const time = new AbortController()
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => time.abort()))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const draft = { kind: 'directory', url: `ldap://127.0.0.1:${port}`, scope: base, account: reader, secret: readerPassword } as const
      await expect(readPage(house.house, 'directory', asking(draft), time.signal)).rejects.toThrow('It answers too slowly')
    } finally {
      server.close()
    }
  })

  test('that comes upon an error of any kind has failed and says why, and can be begun anew', async () => {
    clouds.acm.set('arn:aws:acm:eu-central-1:1:certificate/z', clouds.certificate('z.aws.test'))
    const provider = await add(aws())
    await house.asOwner(`alter table installations add constraint a_fault check (place not like '%/z')`)
    expect(await provider.read('failed')).toMatchObject({ says: expect.stringContaining('a_fault') })
    await house.asOwner('alter table installations drop constraint a_fault')
    expect(await provider.read('done')).toMatchObject({ says: '' })
  })

  test('tells two places apart that are alike for longer than a place is kept', async () => {
    const long = `arn:aws:acm:eu-central-1:1:certificate/${'long'.repeat(200)}`
    for (const end of ['one', 'two']) clouds.acm.set(`${long}/${end}`, clouds.certificate(`${end}.long.test`))
    const provider = await add(aws())
    expect(await provider.read('done')).toMatchObject({ refused: 1, changed: 0 })
    expect(await provider.read('done')).toMatchObject({ fresh: 0, changed: 0 })
    expect((await placesOf('aws')).filter((place) => place.includes('longlong'))).toHaveLength(2)
  })

  test('that is paused while its last page is under way keeps the page for later', async () => {
    const provider = await add(aws())
    const total = (await provider.read('done'))?.found
    await pauseMeanwhile(provider.id)
    const job = async () => (await readRuns(house.house.database)).find(({ name }) => name === jobName(discovery.jobs.providers))?.outcome
    await expect.poll(job).toBe('done')
    expect(await provider.one()).toMatchObject({ state: 'paused' })
    await ada.call(calls.pauseProvider, { id: provider.id, paused: false })
    await provider.until('done')
    expect(await provider.one()).toMatchObject({ found: total })
  })

  test('is paused between two pages and goes on there, and what is paused can be stopped', async () => {
    const provider = await add(azure())
    await expect(ada.call(calls.pauseProvider, { id: provider.id, paused: true })).rejects.toMatchObject({ code: 'ended' })
    clouds.nextLink = `${clouds.url}/certificates?skip=0&again`
    await pauseMeanwhile(provider.id)
    await provider.until('paused')
    await expect(ada.call(calls.readProvider, { id: provider.id })).rejects.toMatchObject({ code: 'reading' })
    clouds.nextLink = undefined
    await ada.call(calls.pauseProvider, { id: provider.id, paused: false })
    await expect.poll(provider.one).toMatchObject({ state: expect.stringMatching('done|failed') })
    await pauseMeanwhile(provider.id)
    await ada.call(calls.stopProvider, { id: provider.id })
    await provider.until('cancelled')
  })
})
