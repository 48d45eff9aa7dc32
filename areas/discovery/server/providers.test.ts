import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { discovery } from '../contract.ts'
import { openCluster } from './cluster.fixture.ts'

const cluster = await openCluster()
const house = await useHouse({
  background: true,
  settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.0/8', CHANCERY_OUTWARD_PORTS: String(cluster.port) },
})
afterAll(() => cluster.close())
const calls = discovery.calls
let ada: TestPerson
let other: TestPerson
let id: string
const draft = { kind: 'kubernetes', name: 'Production', url: cluster.url, roots: cluster.roots, everyHours: 0 } as const
const one = async () => (await ada.call(calls.providers, { kind: 'kubernetes' })).providers.find((row) => row.id === id)

async function read(state: string) {
  await ada.call(calls.readProvider, { id })
  await expect.poll(one, { interval: 100 }).toMatchObject({ state })
}

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  other = (await house.tenancy('Globex')).administrator
  ;({ id } = await ada.call(calls.addProvider, { ...draft, secret: cluster.token }))
})

describe('A cluster', () => {
  test('lists the certificates of its TLS secrets by namespace and name, page by page, and what was replaced', async () => {
    for (const name of ['a.example.org', 'b.example.org', 'c.example.org']) cluster.secrets.set(`shop/${name}`, cluster.certificate(name))
    cluster.secrets.set('shop/empty', 'this is no certificate')
    await read('done')
    expect(await one()).toMatchObject({ found: 3, fresh: 3, changed: 0, refused: 1, says: '' })
    expect(cluster.seen.length).toBe(2)
    const { rows } = await ada.call(calls.search, { view: 'untrusted' })
    expect(rows.map(({ place, provider, address, reasons }) => [place, provider, address, reasons]).toSorted()).toEqual(
      ['a', 'b', 'c'].map((name) => [`shop/${name}.example.org`, 'kubernetes', '', ['selfSigned']]),
    )
    cluster.secrets.set('shop/a.example.org', cluster.certificate('a.example.org'))
    await read('done')
    expect(await one()).toMatchObject({ found: 3, fresh: 0, changed: 1 })
    const [found] = (await ada.call(calls.search, { text: 'shop/a.' })).rows
    expect((await ada.call(calls.read, { id: found?.id ?? '' })).changes).toHaveLength(1)
    expect(await ada.call(calls.takeOver, { ids: rows.map((row) => row.id) })).toMatchObject({ taken: 3, added: 3 })
  })

  test('is asked for one namespace only where one is named, and says why it could not be read', async () => {
    const { version: _version, ...row } = { ...draft, version: 0 }
    const { kind: _kind, ...values } = row
    await ada.call(calls.changeProvider, { id, ...values, scope: 'shop' })
    await read('done')
    expect(cluster.seen.at(-1)).toMatch(/^\/api\/v1\/namespaces\/shop\/secrets\?/)
    for (const [broken, says] of [
      [{ status: 403, body: '{}' }, 'The token may not list secrets there'],
      [{ status: 500, body: '' }, 'The cluster answered with status 500'],
      [{ status: 200, body: '{"items":[{"metadata":{}}]}' }, 'The answer of the cluster is no list of secrets'],
      [{ status: 200, body: 'no JSON' }, 'The answer of the cluster is no list of secrets'],
      [{ status: 200, body: '{"metadata":{"continue":"a\\u0000b"},"items":[]}' }, 'It names a next page that cannot be kept'],
    ] as const) {
      cluster.broken = broken
      await read('failed')
      expect((await one())?.says).toBe(says)
    }
    cluster.broken = undefined
    cluster.token = 'another'
    await read('failed')
    expect((await one())?.says).toBe('The cluster does not accept the token')
    expect((await ada.call(calls.search, {})).total).toBe(3)
  })

  test('keeps its token to itself: no answer shows it, another address asks for it anew, and another tenancy sees nothing', async () => {
    expect(JSON.stringify(await one())).not.toContain('service account')
    const { kind: _kind, ...values } = draft
    const elsewhere = { id, ...values, url: 'https://127.0.0.2:8443' }
    await expect(ada.call(calls.changeProvider, elsewhere)).rejects.toMatchObject({ code: 'secretNeeded', fields: [{ field: 'secret' }] })
    await expect(ada.call(calls.addProvider, { ...draft, name: 'None' })).rejects.toMatchObject({ code: 'secretNeeded' })
    await expect(ada.call(calls.addProvider, { ...draft, secret: 'x' })).rejects.toMatchObject({ code: 'nameTaken' })
    await expect(ada.call(calls.addProvider, { ...draft, name: 'Path', scope: '../x', secret: 'x' })).rejects.toMatchObject({
      code: 'badScope',
    })
    await expect(ada.call(calls.addProvider, { ...draft, name: 'Own', url: 'http://127.0.0.1', secret: 'x' })).rejects.toMatchObject({ code: 'refused' }) // prettier-ignore
    await expect(ada.call(calls.stopProvider, { id })).rejects.toMatchObject({ code: 'ended' })
    expect((await other.call(calls.providers, { kind: 'kubernetes' })).providers).toEqual([])
    await expect(other.call(calls.readProvider, { id })).rejects.toMatchObject({ status: 404 })
    expect((await other.call(calls.search, {})).total).toBe(0)
    await ada.call(calls.removeProvider, { id })
    expect((await ada.call(calls.search, {})).total).toBe(3)
  })
})

describe('Files', () => {
  test('list each certificate under the name of its file, and leave out a private key and what is none', async () => {
    const [first, second] = [cluster.certificate('one.example.org'), cluster.certificate('two.example.org')]
    const der = second.replaceAll(/-----[^-]+-----|\s/g, '')
    const files = [
      { name: 'bundle.pem', content: first + second },
      { name: 'two.der', content: der },
      { name: 'key.pem', content: `${first}-----BEGIN PRIVATE KEY-----\nMC4CAQA=\n-----END PRIVATE KEY-----\n` },
      { name: 'note.txt', content: 'nothing of the kind' },
    ]
    const answer = await ada.call(calls.uploadFound, { files })
    expect(answer).toMatchObject({ found: 3, fresh: 3, changed: 0 })
    expect(answer.faults.map(({ file }) => file)).toEqual(['key.pem', 'note.txt'])
    const { rows } = await ada.call(calls.search, { text: '.example.org', size: 50 })
    expect(rows.filter(({ provider }) => provider === 'file').map(({ place }) => place.replace(/ \([0-9a-f]{16}\)$/, '')).toSorted()).toEqual(['bundle.pem', 'bundle.pem', 'two.der']) // prettier-ignore
  })

  test('of one name, and one text pasted after another, stand side by side, and the same again is not new', async () => {
    const paste = (content: string) => ada.call(calls.uploadFound, { files: [{ name: 'Pasted text', content }] })
    const [first, second] = [cluster.certificate('first.paste.example'), cluster.certificate('second.paste.example')]
    expect(await paste(first)).toMatchObject({ found: 1, fresh: 1, changed: 0 })
    expect(await paste(second)).toMatchObject({ found: 1, fresh: 1, changed: 0 })
    expect(await paste(first)).toMatchObject({ found: 1, fresh: 0, changed: 0 })
    const { rows } = await ada.call(calls.search, { text: 'paste.example' })
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['first.paste.example', 'second.paste.example'])
  })

  test('with a block that is none say which one, and list the rest', async () => {
    const good = cluster.certificate('good.paste.example')
    const broken = '-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n'
    const answer = await ada.call(calls.uploadFound, { files: [{ name: 'both.pem', content: good + broken }] })
    expect(answer).toMatchObject({ found: 1, faults: [{ file: 'both.pem', says: 'Certificate 2 in it cannot be read' }] })
  })
})
