// What other ACME servers got wrong, and what must hold whoever comes: each refusal is a problem document, nothing is signed, and nobody sees what is another's.

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer as createTls, type Server } from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { users } from '#areas/users/contract.ts'
import { countAttempt } from '#core/server/limits.ts'
import { openHouse } from '#core/server/open.ts'
import { base64url } from '#standards/acme/base64url.ts'
import { dnsRecordValue, keyAuthorization } from '#standards/acme/challenges.ts'
import { signMessage } from '#standards/acme/jws.ts'
import { accountKeyOf } from '#standards/acme/keys.ts'
import { acme } from '../contract.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'
import { challengeOf, derOf, proveByFile, type AcmeClient, type Answer } from './client.fixture.ts'

const loopback = [{ type: 'A', value: '127.0.0.1' }] as const
const urn = 'urn:ietf:params:acme:error:'
const missing = '019a0000-0000-7000-8000-000000000000'

let on: AcmeFixture
let ada: AcmeClient
let bob: AcmeClient
beforeAll(async () => {
  on = await openAcme()
  ada = await on.registered()
  bob = await on.registered()
})
afterAll(() => on.close())

const said = ({ status, body }: Answer): [status: number, type: string] => [status, String(body.type).replace(urn, '')]
const newName = (() => {
  let count = 0
  return () => {
    const name = `n${(count += 1)}.example.org`
    on.dns.names.set(name, loopback)
    return name
  }
})()
const issuedNow = async (): Promise<number> => (await on.admin.call(certificates.calls.search, { size: 1 })).total

/** An order whose one name is proven. */
async function readyOrder(by: AcmeClient, name = newName()): Promise<{ name: string; order: Answer; url: string }> {
  const order = await by.order([name])
  const ready = await proveByFile(by, on.web, order)
  return { name, order: ready, url: order.headers.get('location') ?? '' }
}

/** Answers the challenge and waits for what comes of it. */
async function tried(by: AcmeClient, name: string, type: string, prepare: (token: string) => void = () => {}): Promise<Answer> {
  const order = await by.order([name])
  const url = order.body.authorizations[0] ?? ''
  const challenge = challengeOf(await by.ask(url), type)
  prepare(challenge.token)
  await by.post(challenge.url, {})
  return by.settled(url, ['pending'])
}

describe('What is another account’s', () => {
  test('is refused, whatever it is, and what is another tenancy’s is not there', async () => {
    const { order, url, name } = await readyOrder(ada)
    const authorization = order.body.authorizations[0] ?? ''
    const challenge = challengeOf(await ada.ask(authorization), 'http-01').url
    const done = await ada.post(order.body.finalize, { csr: on.csr([name]) })
    const own = [url, authorization, challenge, done.body.certificate, `${ada.kid}`, `${ada.kid}/orders`]
    for (const one of own) expect([one, ...said(await bob.ask(one))]).toEqual([one, 403, 'unauthorized'])
    expect(said(await bob.post(order.body.finalize, { csr: on.csr([name]) }))).toEqual([403, 'unauthorized'])
    expect(said(await bob.post(authorization, { status: 'deactivated' }))).toEqual([403, 'unauthorized'])
    expect(said(await bob.post(challenge, {}))).toEqual([403, 'unauthorized'])

    const theirs = await openIssuing(on.house, on.tools, 'Other')
    const admin = await theirs.tenancy.person({ permissions: ['acmeConfiguration', 'certSigningRequest'] })
    const templateId = await theirs.addTemplate('TLSServer', { issueApprovers: 0 })
    const { url: other } = await admin.call(acme.calls.addDirectory, {
      name: 'Theirs',
      profiles: [{ name: 'default', templateId }],
      eabRequired: false,
    })
    const eve = await on.client(other)
    await eve.register()
    const base = other.replace(/\/directory$/, '')
    for (const one of [url, authorization, challenge, done.body.certificate]) {
      const moved = base + one.replace(/^.*\/acme\/[^/]+/, '')
      expect([moved, (await eve.ask(moved)).status]).toEqual([moved, 404])
    }
    expect(said(await eve.ask(url))).toEqual([400, 'accountDoesNotExist'])
    const der = derOf((await ada.ask(done.body.certificate)).text.split('-----END')[0] ?? '')
    expect((await eve.post(eve.directory['revokeCert'] ?? '', { certificate: der })).status).toBe(404)
  })

  test('is never guessed: an order that is not there is not replaced by the last one', async () => {
    const { url } = await readyOrder(ada)
    const gone = url.replace(/[^/]+$/, missing)
    expect((await ada.post(`${gone}/finalize`, { csr: on.csr(['a.example.org']) })).status).toBe(404)
    expect((await ada.ask(gone)).status).toBe(404)
  })
})

describe('A signed request', () => {
  test('works once, at the address that it names, with a key that is the account’s', async () => {
    const nonce = await ada.nonce()
    expect((await ada.post(ada.kid, undefined, { nonce })).status).toBe(200)
    expect(said(await ada.post(ada.kid, undefined, { nonce }))).toEqual([400, 'badNonce'])
    expect(said(await ada.post(ada.kid, undefined, { nonce: base64url('nonsense') }))).toEqual([400, 'badNonce'])
    expect(said(await ada.post(ada.kid, undefined, { url: bob.kid }))).toEqual([403, 'unauthorized'])
    expect(said(await ada.post(ada.kid, undefined, { contentType: 'application/json' }))).toEqual([415, 'malformed'])
    expect(said(await ada.post(ada.kid, undefined, { key: bob.key }))).toEqual([400, 'malformed'])
    expect(said(await ada.post(ada.kid, undefined, { kid: `${ada.kid}0` }))).toEqual([400, 'accountDoesNotExist'])
    expect(said(await ada.post(ada.directory['newOrder'] ?? '', {}, { by: 'jwk' }))).toEqual([400, 'malformed'])
    expect(said(await ada.post(ada.directory['newAccount'] ?? '', {}, { by: 'kid' }))).toEqual([400, 'malformed'])
    const none = (body: Record<string, string>) => ({
      ...body,
      protected: base64url(JSON.stringify({ alg: 'none', kid: ada.kid, url: ada.kid, nonce: 'AAAA' })),
    })
    expect(said(await ada.post(ada.kid, undefined, { spoil: none }))).toEqual([400, 'badSignatureAlgorithm'])
  })

  test('of many at once with one nonce is taken once', async () => {
    const nonce = await ada.nonce()
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada.post(ada.kid, undefined, { nonce })))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('may bring the nonce of another server, once', async () => {
    const second = await openHouse({
      settings: on.house.house.settings,
      connection: on.house.connection,
      rooms: on.house.rooms,
      identify: async () => undefined,
      port: 0,
      migrated: true,
      background: false,
      warn: () => {},
    })
    onTestFinished(() => second.close())
    const at = `http://localhost:${second.doors.port}${(ada.directory['newNonce'] ?? '').replace(/^https?:\/\/[^/]+/, '')}`
    const nonceOfSecond = async () => (await fetch(at, { method: 'HEAD' })).headers.get('replay-nonce') ?? ''
    // Both must have begun to listen.
    await expect.poll(async () => (await ada.post(ada.kid, undefined, { nonce: await nonceOfSecond() })).status).toBe(200)
    const nonce = await nonceOfSecond()
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada.post(ada.kid, undefined, { nonce })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400])
  })
})

describe('An account', () => {
  test('is found again by its key, changes its key, and ends', async () => {
    const client = await on.registered()
    expect((await client.register()).status).toBe(200)
    const stranger = await on.client()
    expect(said(await stranger.register({ onlyReturnExisting: true }))).toEqual([400, 'accountDoesNotExist'])
    expect(said(await stranger.register({ contact: ['tel:+611'] }))).toEqual([400, 'unsupportedContact'])
    expect(said(await stranger.register({ contact: ['mailto:a@example.org,b@example.org'] }))).toEqual([400, 'invalidContact'])
    const next = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
    const change = async (key: typeof next, oldKey: object) => {
      const url = client.directory['keyChange'] ?? ''
      const inner = await signMessage(
        { payload: { account: client.kid, oldKey }, url, by: { jwk: accountKeyOf(createPublicKey(key)).jwk } },
        key,
        key === next ? 'ES384' : 'ES256',
      )
      return client.post(url, inner)
    }
    expect((await change(next, bob.account.jwk)).status).toBe(400)
    const taken = await change(bob.key, client.account.jwk)
    expect([taken.status, taken.headers.get('location')]).toEqual([409, bob.kid])
    expect((await change(next, client.account.jwk)).status).toBe(200)
    expect((await client.ask(client.kid)).status).toBe(400)
    client.key = next
    expect((await client.ask(client.kid)).status).toBe(200)
    expect((await client.post(client.kid, { status: 'deactivated' })).body.status).toBe('deactivated')
    expect(said(await client.ask(client.kid))).toEqual([403, 'unauthorized'])
    expect(said(await client.order([newName()]))).toEqual([403, 'unauthorized'])
  })

  test('whose key is that of a compromised certificate is over, and no other begins with it', async () => {
    const { csr, keyFile } = on.tools.csr({ subject: '/CN=key.example.org', extensions: ['subjectAltName=DNS:key.example.org'] })
    const key = createPrivateKey(readFileSync(keyFile))
    const client = await on.client(on.directory.url, key)
    await client.register()
    const { certificateId } = await on.pki.ada.call(certificates.calls.requestForDevice, { templateId: on.templateId, csr })
    await on.pki.ada.call(revocation.calls.revoke, { certId: certificateId ?? '', reason: 'keyCompromise' })
    expect(said(await client.order([newName()]))).toEqual([403, 'unauthorized'])
    const { rows } = await on.admin.call(acme.calls.accounts, { text: client.account.thumbprint })
    expect(rows[0]?.status).toBe('revoked')
    const other = await on.addDirectory()
    expect(said(await (await on.client(other.url, key)).register())).toEqual([400, 'badPublicKey'])
  })
})

describe('An external account', () => {
  test('is wanted where the directory says so, works as often as it may, and for its own directory and names', async () => {
    const { id: directoryId, url } = await on.addDirectory({ eabRequired: true })
    const eab = await on.admin.call(acme.calls.addEab, { directoryId, name: 'Team', names: ['*.team.example.org', '10.0.0.0/8'], uses: 1 })
    const client = await on.client(url)
    expect(said(await client.register())).toEqual([403, 'externalAccountRequired'])
    const wrong = { ...eab, hmacKey: base64url(Buffer.alloc(32, 7)) }
    expect(said(await client.register({ externalAccountBinding: await client.binding(wrong) }))).toEqual([403, 'unauthorized'])
    expect(said(await client.register({ externalAccountBinding: await client.binding({ ...eab, kid: missing }) }))).toEqual([
      403,
      'unauthorized',
    ])
    expect(
      said(await client.register({ externalAccountBinding: await client.binding(eab, { url: ada.directory['newAccount'] ?? '' }) })),
    ).toEqual([400, 'malformed'])
    expect(said(await client.register({ externalAccountBinding: await client.binding(eab, { payload: bob.account.jwk }) }))).toEqual([
      400,
      'malformed',
    ])
    const elsewhere = await on.client((await on.addDirectory({ eabRequired: true })).url)
    expect(said(await elsewhere.register({ externalAccountBinding: await elsewhere.binding(eab) }))).toEqual([403, 'unauthorized'])
    expect((await client.register({ externalAccountBinding: await client.binding(eab) })).status).toBe(201)
    const second = await on.client(url)
    expect(said(await second.register({ externalAccountBinding: await second.binding(eab) }))).toEqual([403, 'unauthorized'])

    expect(said(await client.order(['www.other.example.org']))).toEqual([400, 'rejectedIdentifier'])
    expect(said(await client.order(['team.example.org']))).toEqual([400, 'rejectedIdentifier'])
    expect(said(await client.order(['192.168.1.5']))).toEqual([400, 'rejectedIdentifier'])
    expect((await client.order(['10.1.2.3'])).status).toBe(201)
    on.dns.names.set('www.team.example.org', loopback)
    const ready = await proveByFile(client, on.web, await client.order(['www.team.example.org']))
    const before = await issuedNow()
    await on.admin.call(acme.calls.revokeEab, { id: eab.id })
    expect(said(await client.post(ready.body.finalize, { csr: on.csr(['www.team.example.org']) }))).toEqual([403, 'unauthorized'])
    expect(await issuedNow()).toBe(before)
  })

  test('keeps its accounts where its key is replaced', async () => {
    const { id: directoryId, url } = await on.addDirectory({ eabRequired: true })
    const first = await on.admin.call(acme.calls.addEab, { directoryId, name: 'Team' })
    const client = await on.client(url)
    await client.register({ externalAccountBinding: await client.binding(first) })
    const second = await on.admin.call(acme.calls.addEab, { directoryId, name: 'Team', replaces: first.id })
    const late = await on.client(url)
    expect(said(await late.register({ externalAccountBinding: await late.binding(first) }))).toEqual([403, 'unauthorized'])
    expect((await late.register({ externalAccountBinding: await late.binding(second) })).status).toBe(201)
    expect((await on.issue(client, [newName()])).body.status).toBe('valid')
  })
})

describe('A validation', () => {
  test('is one at a time for each name', async () => {
    const name = newName()
    const order = await ada.order([name])
    const url = order.body.authorizations[0] ?? ''
    const authorization = await ada.ask(url)
    const challenge = challengeOf(authorization, 'http-01')
    on.web.files.set(`/.well-known/acme-challenge/${challenge.token}`, keyAuthorization(challenge.token, ada.account.thumbprint))
    let open = () => {}
    on.web.gate = new Promise((resolve) => (open = resolve))
    const asked = on.web.asked.length
    const answers = await Promise.all([
      ada.post(challenge.url, {}),
      ada.post(challenge.url, {}),
      ada.post(challengeOf(authorization, 'dns-01').url, {}),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    open()
    await ada.settled(url, ['pending'])
    expect(on.web.asked.length - asked).toBeLessThan(2)
  })

  test.each([
    ['a private address', 'http://10.0.0.1/x', 'connection'],
    ['a mapped address', 'http://[::ffff:10.0.0.1]/x', 'connection'],
    ['another port', 'http://127.0.0.1:22/x', 'connection'],
    ['another scheme', 'ftp://127.0.0.1/x', 'connection'],
    ['a metadata service', 'http://169.254.169.254/latest', 'connection'],
  ])('does not follow to %s', async (_what, location, type) => {
    on.web.answer = () => ({ status: 302, headers: { location }, body: '' })
    onTestFinished(() => void (on.web.answer = undefined))
    const failed = await tried(ada, newName(), 'http-01')
    expect([failed.body.status, challengeOf(failed, 'http-01').error?.type]).toEqual(['invalid', `${urn}${type}`])
  })

  test('follows ten redirects and no more, and reads a kilobyte', async () => {
    const name = newName()
    let left = 10
    const path = () => `http://${name}:${on.web.port}/hop`
    let right = ''
    on.web.answer = () => (left-- > 0 ? { status: 302, headers: { location: path() }, body: '' } : { status: 200, body: right })
    onTestFinished(() => void (on.web.answer = undefined))
    const good = await tried(ada, name, 'http-01', (token) => void (right = keyAuthorization(token, ada.account.thumbprint)))
    expect(good.body.status).toBe('valid')
    left = 11
    const looped = await tried(bob, name, 'http-01')
    expect(challengeOf(looped, 'http-01').error?.type).toBe(`${urn}connection`)
    on.web.answer = () => ({ status: 200, body: 'x'.repeat(10_000_000) })
    const large = await tried(bob, newName(), 'http-01')
    expect(challengeOf(large, 'http-01').error?.type).toBe(`${urn}unauthorized`)
  })

  test('by DNS proves a wildcard, where the template has them', async () => {
    const name = newName()
    expect(said(await ada.order([`*.${name}`]))).toEqual([400, 'rejectedIdentifier'])
    const templateId = await on.pki.addTemplate('TLSServer', {
      issueApprovers: 0,
      rules: { keys: ['P-256'], allowedDomains: ['*.example.org', 'example.org'], wildcards: true, maximumNames: 20 },
    })
    const { url } = await on.addDirectory({ profiles: [{ name: 'wild', templateId }] })
    const client = await on.registered(url)
    const order = await client.order([`*.${name}`], { profile: 'wild' })
    const authorization = await client.ask(order.body.authorizations[0] ?? '')
    expect([authorization.body.identifier.value, authorization.body.wildcard]).toEqual([name, true])
    expect(authorization.body.challenges.map(({ type }) => type)).toEqual(['dns-01'])
    const { token, url: challenge } = challengeOf(authorization, 'dns-01')
    on.dns.names.set(`_acme-challenge.${name}`, [
      { type: 'TXT', value: dnsRecordValue(keyAuthorization(token, client.account.thumbprint)) },
    ])
    await client.post(challenge, {})
    await client.settled(order.body.authorizations[0] ?? '', ['pending'])
    const done = await client.post(order.body.finalize, { csr: on.csr([`*.${name}`]) })
    expect(done.body.status).toBe('valid')
    expect(said(await client.order([name], { profile: 'none' }))).toEqual([400, 'invalidProfile'])
    expect(said(await client.order(['www.example.com']))).toEqual([400, 'rejectedIdentifier'])
  })

  test('by TLS takes the certificate that RFC 8737 asks for, and no other', async () => {
    const name = newName()
    let served = { key: '', cert: '' }
    const server: Server = createTls(
      { ALPNProtocols: ['acme-tls/1'], SNICallback: undefined, ...make(['DNS:x.example.org'], '00') },
      (socket) => socket.end(),
    )
    function make(names: string[], digest: string) {
      on.tools.run(
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        'alpn.key',
        '-out',
        'alpn.pem',
        '-subj',
        '/CN=x',
        '-days',
        '1',
        '-addext',
        `subjectAltName=${names.join(',')}`,
        ...(digest === '00' ? [] : ['-addext', `1.3.6.1.5.5.7.1.31=critical,DER:0420${digest}`]),
      )
      served = { key: on.tools.run('pkey', '-in', 'alpn.key'), cert: on.tools.run('x509', '-in', 'alpn.pem') }
      return served
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { url } = await on.addDirectory({ tlsPort: (server.address() as AddressInfo).port })
    const client = await on.registered(url)
    const digest = (token: string) =>
      Buffer.from(dnsRecordValue(keyAuthorization(token, client.account.thumbprint)), 'base64url').toString('hex')
    const good = await tried(client, name, 'tls-alpn-01', (token) => server.setSecureContext(make([`DNS:${name}`], digest(token))))
    expect(good.body.status).toBe('valid')
    const two = await tried(client, newName(), 'tls-alpn-01', (token) =>
      server.setSecureContext(make([`DNS:${name}`, 'DNS:b.example.org'], digest(token))),
    )
    expect(challengeOf(two, 'tls-alpn-01').error?.detail).toContain('2 alternative names')
    expect(served.cert).toContain('BEGIN')
  })

  test('heeds CAA records where the directory has a domain in them', async () => {
    const { url } = await on.addDirectory({ caaIdentities: ['ca.example.net'], challenges: ['http-01', 'dns-persist-01'] })
    const client = await on.registered(url)
    const proof = (token: string) =>
      void on.web.files.set(`/.well-known/acme-challenge/${token}`, keyAuthorization(token, client.account.thumbprint))
    const withCaa = async (...values: string[]) => {
      const name = newName()
      on.dns.names.set(name, [...loopback, ...values.map((value) => ({ type: 'CAA' as const, value }))])
      return challengeOf(await tried(client, name, 'http-01', proof), 'http-01').error?.type ?? 'valid'
    }
    expect(await withCaa()).toBe('valid')
    expect(await withCaa('0 issue ca.example.net')).toBe('valid')
    expect(await withCaa('0 issue other.example')).toBe(`${urn}caa`)
    expect(await withCaa('128 future x')).toBe(`${urn}caa`)
    expect(await withCaa(`0 issue ca.example.net; accounturi=${client.kid}`)).toBe('valid')
    expect(await withCaa(`0 issue ca.example.net; accounturi=${client.kid}0`)).toBe(`${urn}caa`)
    const below = `deep.broken.example.com`
    on.dns.names.set(below, loopback)
    on.dns.names.set('broken.example.com', 'broken')
    expect(challengeOf(await tried(client, below, 'http-01', proof), 'http-01').error?.type).toBe(`${urn}caa`)

    const kept = newName()
    on.dns.names.set(`_validation-persist.${kept}`, [{ type: 'TXT', value: `ca.example.net; accounturi=${client.kid}` }])
    expect((await tried(client, kept, 'dns-persist-01')).body.status).toBe('valid')
    const stolen = await on.registered(url)
    expect((await tried(stolen, kept, 'dns-persist-01')).body.status).toBe('invalid')
    const usual = await ada.ask((await ada.order([newName()])).body.authorizations[0] ?? '')
    expect(usual.body.challenges.map(({ type }) => type).toSorted()).toEqual(['dns-01', 'http-01', 'tls-alpn-01'])
  })
})

describe('A finalised order', () => {
  test('has one certificate, however many finalise it at once', async () => {
    const { name, order, url } = await readyOrder(ada)
    const before = await issuedNow()
    const csr = on.csr([name])
    const nonces = await Promise.all(
      Array.from({ length: 8 }, async () => (await ada.get(ada.directory['newNonce'] ?? '')).headers.get('replay-nonce') ?? ''),
    )
    const answers = await Promise.all(nonces.map((nonce) => ada.post(order.body.finalize, { csr }, { nonce })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 403)])
    expect((await ada.settled(url, ['processing'])).body.status).toBe('valid')
    expect(await issuedNow()).toBe(before + 1)
    expect(said(await ada.post(order.body.finalize, { csr }))).toEqual([403, 'orderNotReady'])
  })

  test.each<[string, (name: string) => string]>([
    ['another name', () => on.csr(['other.example.org'])],
    ['a name more', (name) => on.csr([name, 'more.example.org'])],
    ['an address more', (name) => on.csr([name, '10.0.0.1'])],
    ['a mailbox', (name) => derOf(on.tools.csr({ subject: '/', extensions: [`subjectAltName=DNS:${name},email:a@example.org`] }).csr)],
    [
      'another common name',
      (name) => derOf(on.tools.csr({ subject: '/CN=evil.example.org', extensions: [`subjectAltName=DNS:${name}`] }).csr),
    ],
    ['no name', () => derOf(on.tools.csr({ subject: '/O=x', extensions: [] }).csr)],
    ['nothing readable', () => 'AAAA'],
    ['padding', (name) => `${on.csr([name])}==`],
  ])('with %s in its CSR is refused and stays ready', async (_what, csr) => {
    const { name, order, url } = await readyOrder(ada)
    const before = await issuedNow()
    expect(said(await ada.post(order.body.finalize, { csr: csr(name) }))).toEqual([400, 'badCSR'])
    expect((await ada.ask(url)).body.status).toBe('ready')
    expect(await issuedNow()).toBe(before)
  })

  test('before its names are proven, and after one was given up, is not ready', async () => {
    const name = newName()
    const order = await ada.order([name])
    expect(said(await ada.post(order.body.finalize, { csr: on.csr([name]) }))).toEqual([403, 'orderNotReady'])
    const { order: ready, url } = await readyOrder(ada)
    await ada.post(ready.body.authorizations[0] ?? '', { status: 'deactivated' })
    expect((await ada.ask(url)).body.status).toBe('invalid')
  })

  test('waits where its template wants somebody to agree, and comes to nothing where it is denied', async () => {
    const templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 1 })
    const { url } = await on.addDirectory({ profiles: [{ name: 'default', templateId }] })
    const client = await on.registered(url)
    const decide = async (order: Answer, verdict: 'approve' | 'deny') => {
      const { rows } = await on.admin.call(acme.calls.orders, { text: order.body.identifiers[0]?.value ?? '' })
      const { requestId } = await on.admin.call(acme.calls.order, { id: rows[0]?.id ?? '' })
      await on.pki.bob.call(certificates.calls.decide, { requestId: requestId ?? '', round: 1, verdict })
    }
    const first = await on.issue(client, [newName()])
    expect(first.body.status).toBe('processing')
    await decide(first, 'approve')
    const at = first.headers.get('location') ?? ''
    expect((await client.settled(at, ['processing'])).body.status).toBe('valid')
    const second = await on.issue(client, [newName()])
    await decide(second, 'deny')
    expect((await client.settled(second.headers.get('location') ?? '', ['processing'])).body).toMatchObject({
      status: 'invalid',
      error: { type: `${urn}unauthorized` },
    })
  })

  test('is refused once whoever made the directory may not ask any more', async () => {
    const owner = await on.pki.tenancy.person({ permissions: ['acmeConfiguration', 'certSigningRequest'] })
    const { url } = await owner.call(acme.calls.addDirectory, {
      name: 'Of somebody who leaves',
      profiles: [{ name: 'default', templateId: on.templateId }],
      eabRequired: false,
      httpPort: on.web.port,
    })
    const client = await on.registered(url)
    const { order, name } = await readyOrder(client)
    await on.pki.tenancy.administrator.call(users.calls.setEnabled, { id: owner.id, enabled: false })
    expect(said(await client.post(order.body.finalize, { csr: on.csr([name]) }))).toEqual([403, 'unauthorized'])
  })

  test.each(['acme_authorizations', 'acme_challenges', 'acme_accounts', 'acme_orders', 'compromised_keys'])(
    'is not issued while %s cannot be read',
    async (table) => {
      const { order, name, url } = await readyOrder(ada)
      const before = await issuedNow()
      await on.house.asOwner(`alter table ${table} rename to ${table}_away`)
      const answer = await ada
        .post(order.body.finalize, { csr: on.csr([name]) })
        .finally(() => on.house.asOwner(`alter table ${table}_away rename to ${table}`))
      const isIssued = answer.status === 200 && answer.body.status === 'valid'
      expect(isIssued).toBe(table === 'acme_challenges')
      expect((await issuedNow()) - before).toBe(isIssued ? 1 : 0)
      expect(['ready', 'valid', 'processing']).toContain((await ada.ask(url)).body.status)
    },
  )
})

test('Addresses are proven by the web and by TLS alone, and never in the DNS', async () => {
  const order = await ada.order(['192.168.7.7'])
  const authorization = await ada.ask(order.body.authorizations[0] ?? '')
  expect(authorization.body.challenges.map(({ type }) => type).toSorted()).toEqual(['http-01', 'tls-alpn-01'])
  expect(said(await ada.order(['127.0.0.1']))).toEqual([400, 'rejectedIdentifier'])
  expect(said(await ada.post(ada.directory['newOrder'] ?? '', { identifiers: null }))).toEqual([400, 'malformed'])
  expect(
    said(
      await ada.post(ada.directory['newOrder'] ?? '', {
        identifiers: [{ type: 'dns', value: 'a.example.org' }],
        notAfter: '2030-01-01T00:00:00Z',
      }),
    ),
  ).toEqual([400, 'malformed'])
})

test('A certificate is revoked by its own key, whoever asks', async () => {
  const name = newName()
  const ready = await readyOrder(ada, name)
  const { csr, keyFile } = on.tools.csr({ subject: '/', extensions: [`subjectAltName=DNS:${name}`] })
  const done = await ada.post(ready.order.body.finalize, { csr: derOf(csr) })
  const der = derOf((await ada.ask(done.body.certificate)).text.split('-----END')[0] ?? '')
  const url = bob.directory['revokeCert'] ?? ''
  expect(said(await bob.post(url, { certificate: der }, { by: 'jwk' }))).toEqual([403, 'unauthorized'])
  const key = createPrivateKey(readFileSync(keyFile))
  expect((await bob.post(url, { certificate: der, reason: 1 }, { by: 'jwk', key })).status).toBe(200)
})

describe('What a server left behind', () => {
  const leave = 61_000

  test('after it took an order is finished once, by whichever server comes next', async () => {
    const { name, order, url } = await readyOrder(ada)
    const before = await issuedNow()
    const csr = Buffer.from(on.csr([name]), 'base64url').toString('hex')
    const id = url.split('/').at(-1) ?? ''
    await on.house.asOwner(
      `update acme_orders set status = 'processing', csr = '\\x${csr}', requester_id = '${on.admin.id}', finalized_at = now() where id = '${id}'`,
    )
    on.house.clock.advance(leave)
    await Promise.all([on.house.runJob(acme.jobs.goOn), on.house.runJob(acme.jobs.goOn), ada.ask(url)])
    expect((await ada.settled(url, ['processing'])).body.status).toBe('valid')
    expect(await issuedNow()).toBe(before + 1)
    expect(said(await ada.post(order.body.finalize, { csr: on.csr([name]) }))).toEqual([403, 'orderNotReady'])
  })

  test('in the middle of a validation is looked at again', async () => {
    const order = await ada.order([newName()])
    const url = order.body.authorizations[0] ?? ''
    const challenge = challengeOf(await ada.ask(url), 'http-01')
    on.web.files.set(`/.well-known/acme-challenge/${challenge.token}`, keyAuthorization(challenge.token, ada.account.thumbprint))
    const began = new Date(on.house.clock.now()).toISOString()
    await on.house.asOwner(`update acme_authorizations set began_at = '${began}' where id = '${url.split('/').at(-1)}'`)
    await on.house.asOwner(`update acme_challenges set status = 'processing' where id = '${challenge.url.split('/').at(-1)}'`)
    expect((await ada.post(challenge.url, {})).status).toBe(409)
    await on.house.runJob(acme.jobs.goOn)
    expect((await ada.ask(url)).body.status).toBe('pending')
    on.house.clock.advance(leave)
    await on.house.runJob(acme.jobs.goOn)
    expect((await ada.ask(url)).body.status).toBe('valid')
  })

  test('and came to nothing is removed after its time', async () => {
    const order = await ada.order([newName()])
    on.house.clock.advance(32 * 86_400_000)
    expect((await ada.ask(order.headers.get('location') ?? '')).body.status).toBe('invalid')
    await on.house.runJob(acme.jobs.tidy)
    expect((await ada.ask(order.headers.get('location') ?? '')).status).toBe(404)
  })
})

test('An account may order so often in an hour; what leaves rows behind beyond that is refused, authorisations alike, and another account goes on', async () => {
  const [busy, other] = [await on.registered(), await on.registered()]
  const accountId = busy.kid.split('/').at(-1) ?? ''
  const [first] = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      countAttempt(on.house.house.database, 'order', { account: `acme:${accountId}` }, on.house.clock.now()),
    ),
  )
  expect(first).toHaveLength(1)
  const identifier = { type: 'dns', value: newName() }
  expect(said(await busy.order([identifier.value]))).toEqual([429, 'rateLimited'])
  expect(said(await busy.post(busy.directory['newAuthz'] ?? '', { identifier }))).toEqual([429, 'rateLimited'])
  expect((await other.order([identifier.value])).status).toBe(201)
  on.house.clock.advance(3_600_001)
  expect((await busy.order([identifier.value])).status).toBe(201)
})
