// SCEP from the first question to the renewal, by a client that speaks it over HTTP, against a profile of the running house.

import { randomUUID, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates as certificateRoom } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/house.ts'
import { parseEnvelopedData } from '#standards/cms/enveloped-data.ts'
import { readDer } from '#standards/der/reader.ts'
import { encodeIssuerAndSerial, encodeIssuerAndSubject, FAIL_INFOS } from '#standards/scep/message.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { protocolRoom } from '../contract.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import { deviceOf, inBer, type Answered, type Sent } from './scep-client.fixture.ts'

let on: ProtocolFixture
/** Of devices that need no key of their own: RSA keys take long to make. */
let keyFile: string
let one: Promise<Awaited<ReturnType<typeof ready>>> | undefined
/** A profile for tests that only look at messages. */
const shared = () => (one ??= ready())
beforeAll(async () => {
  on = await openProtocols()
  keyFile = on.tools.write(on.tools.run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'))
})
afterAll(() => on.close())

const leafOf = ({ certificates }: Answered): X509Certificate => new X509Certificate(Buffer.from(certificates[0] ?? new Uint8Array()))

async function ready(more: Parameters<ProtocolFixture['addProfile']>[1] = {}) {
  const { id, url } = await on.addProfile('scep', more)
  return { id, url, client: await on.client(url) }
}

describe('A device with a challenge', () => {
  test('gets its certificate by POST and by GET, once', async () => {
    const { id, client } = await ready()
    expect(client.capabilities).toContain('SCEPStandard')
    expect(client.certificates).toHaveLength(3)
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret })
    const first = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'A' })
    expect(first.message).toMatchObject({ pkiStatus: 0, transactionId: 'A', check: { ok: true } })
    expect(leafOf(first).subjectAltName).toBe('DNS:router.example.org')
    expect(first.certificates).toHaveLength(3)
    // The answer went astray: the same transaction is answered the same, and spends nothing.
    const again = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'A', byGet: true })
    expect(leafOf(again).serialNumber).toBe(leafOf(first).serialNumber)
    const other = deviceOf(on.tools, { challenge: secret })
    const second = await client.send({ type: 'PKCSReq', content: other.csr, by: other.holder, transactionId: 'B' })
    expect(second.message).toMatchObject({ pkiStatus: 2, failInfo: FAIL_INFOS.badRequest })
    const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep' })
    expect(rows.find(({ transactionId }) => transactionId === 'A')).toMatchObject({ state: 'issued', subject: 'router.example.org' })
    expect(rows.find(({ transactionId }) => transactionId === 'B')?.reason).toContain('was used')
  })

  test('that asks by the same key for another name gets a certificate of that name, and both requests are listed', async () => {
    const { id, client } = await ready()
    const { secret } = await on.secret(id, { names: {}, uses: 3 })
    const device = deviceOf(on.tools, { challenge: secret })
    const ask = ({ csr, holder }: typeof device) => client.send({ type: 'PKCSReq', content: csr, by: holder, transactionId: 'of the key' })
    const first = await ask(device)
    const { keyFile } = device.holder
    const other = deviceOf(on.tools, { subject: '/CN=door.example.org', names: ['door.example.org'], challenge: secret, keyFile })
    const second = await ask(other)
    expect(leafOf(second).subjectAltName).toBe('DNS:door.example.org')
    // The same names with the same key, in other bytes: a repeat.
    const { secret: later } = await on.secret(id, { names: {}, uses: 1 })
    const alike = deviceOf(on.tools, { subject: '/CN=door.example.org', names: ['door.example.org'], challenge: later, keyFile })
    expect(leafOf(await ask(alike)).serialNumber).toBe(leafOf(second).serialNumber)
    const wrong = await ask(deviceOf(on.tools, { subject: '/CN=not_a name', names: [], challenge: secret, keyFile }))
    expect(wrong.message.pkiStatus).toBe(2)
    const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep' })
    const own = rows.filter(({ transactionId }) => transactionId === 'of the key')
    expect(own.map(({ state, certificateId }) => [state, certificateId !== undefined])).toEqual([
      ['refused', false],
      ['issued', true],
      ['issued', true],
    ])
    expect(leafOf(first).subjectAltName).toBe('DNS:router.example.org')
  })

  test('that renews with the key it has gets another certificate, and the same one however often it asks', async () => {
    const { id, client } = await ready()
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret })
    const first = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'of the key' })
    const held = { ...device.holder, certificate: parseCertificate(first.certificates[0] ?? new Uint8Array()) }
    const bare = deviceOf(on.tools, { keyFile: device.holder.keyFile })
    const renew = () => client.send({ type: 'RenewalReq', content: bare.csr, by: held, transactionId: 'of the key' })
    const renewed = await renew()
    expect(leafOf(renewed).serialNumber).not.toBe(leafOf(first).serialNumber)
    expect(leafOf(await renew()).serialNumber).toBe(leafOf(renewed).serialNumber)
    // RSA signs the same bytes alike: the next renewal is the same request, by another certificate.
    const next = { ...held, certificate: parseCertificate(renewed.certificates[0] ?? new Uint8Array()) }
    const again = await client.send({ type: 'RenewalReq', content: bare.csr, by: next, transactionId: 'of the key' })
    expect(leafOf(again).serialNumber).not.toBe(leafOf(renewed).serialNumber)
    // Whoever recorded the messages plays them in turn, and nothing is signed for that.
    expect(leafOf(await renew()).serialNumber).toBe(leafOf(renewed).serialNumber)
    expect(leafOf(await client.send({ type: 'RenewalReq', content: bare.csr, by: next, transactionId: 'of the key' })).serialNumber).toBe(
      leafOf(again).serialNumber,
    )
  })

  test('whose names are not those of the challenge gets nothing, and the challenge is still good', async () => {
    const { id, client } = await ready()
    const { secret } = await on.secret(id)
    const wrong = deviceOf(on.tools, { subject: '/CN=bank.example.org', names: ['bank.example.org'], challenge: secret })
    const refused = await client.send({ type: 'PKCSReq', content: wrong.csr, by: wrong.holder, transactionId: 'A' })
    expect(refused.message.failInfoText).toBe('The secret is not for the name bank.example.org')
    const right = deviceOf(on.tools, { challenge: secret })
    expect((await client.send({ type: 'PKCSReq', content: right.csr, by: right.holder, transactionId: 'A' })).message.pkiStatus).toBe(0)
  })

  test('is refused in the words of the template, and the challenge is given back', async () => {
    const { id, client } = await ready()
    const { secret } = await on.secret(id, { names: { DNS: ['router.elsewhere_'] } })
    const device = deviceOf(on.tools, { subject: '/CN=router.elsewhere_', names: ['router.elsewhere_'], challenge: secret })
    const refused = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder })
    expect(refused.message.pkiStatus).toBe(2)
    const uploaded = await refusal(
      on.admin.call(certificateRoom.calls.request, {
        templateId: on.templateId,
        entity: 'device',
        csr: `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(device.csr).toString('base64')}\n-----END CERTIFICATE REQUEST-----`,
        values: { DNS: ['router.elsewhere_'] },
      }),
    )
    const words = uploaded.fields.map(({ says }) => says)
    expect(words.length).toBeGreaterThan(0)
    expect(words.some((says) => refused.message.failInfoText?.includes(says) === true)).toBe(true)
    const { rows } = await on.admin.call(protocolRoom.calls.secrets, { protocol: 'scep' })
    expect(rows[0]).toMatchObject({ state: 'active', usesLeft: 1 })
  })

  test('waits where somebody must agree, asks again, and gets it when they have', async () => {
    const { id, client } = await ready({ templateId: on.approvedId })
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret })
    const waits = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'W' })
    expect(waits.message.pkiStatus).toBe(3)
    const asked = encodeIssuerAndSubject(client.registrar.issuerEncoded, device.holder.certificate.subjectEncoded)
    const stranger = deviceOf(on.tools)
    const strange = await client.send({ type: 'CertPoll', content: asked, by: stranger.holder, transactionId: 'W' })
    expect(strange.message).toMatchObject({ pkiStatus: 2, failInfo: FAIL_INFOS.badCertId })
    expect((await client.send({ type: 'CertPoll', content: asked, by: device.holder, transactionId: 'W' })).message.pkiStatus).toBe(3)
    const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep', state: 'pending' })
    await on.pki.bob.call(certificateRoom.calls.decide, { requestId: rows[0]?.requestId ?? '', round: 1, verdict: 'approve' })
    const done = await client.send({ type: 'CertPoll', content: asked, by: device.holder, transactionId: 'W' })
    expect(leafOf(done).subjectAltName).toBe('DNS:router.example.org')
  })
})

test('A challenge whose request somebody denied is spent, for the same key as for another, and another challenge lets the key in', async () => {
  const { id, client } = await ready({ templateId: on.approvedId })
  const { secret } = await on.secret(id)
  const device = deviceOf(on.tools, { challenge: secret })
  const asked = { type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'D' } as const
  expect((await client.send(asked)).message.pkiStatus).toBe(3)
  const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep', state: 'pending', size: 1 })
  await on.pki.bob.call(certificateRoom.calls.decide, { requestId: rows[0]?.requestId ?? '', round: 1, verdict: 'deny', comment: 'No' })
  const poll = encodeIssuerAndSubject(client.registrar.issuerEncoded, device.holder.certificate.subjectEncoded)
  expect((await client.send({ ...asked, type: 'CertPoll', content: poll })).message.pkiStatus).toBe(2)
  const secrets = async () => (await on.admin.call(protocolRoom.calls.secrets, { protocol: 'scep' })).rows
  expect((await secrets())[0]).toMatchObject({ state: 'used', usesLeft: 0 })
  for (const transactionId of ['D', 'E'])
    expect((await client.send({ ...asked, transactionId })).message.failInfoText).toContain('was used')
  const next = await on.secret(id)
  const again = deviceOf(on.tools, { challenge: next.secret, keyFile: device.holder.keyFile })
  expect((await client.send({ ...asked, content: again.csr, by: again.holder })).message.pkiStatus).toBe(3)
})

test('A challenge that was ended gives nothing more for a request that waits', async () => {
  const { id, client } = await ready({ templateId: on.approvedId })
  const { secret, id: secretId } = await on.secret(id)
  const device = deviceOf(on.tools, { challenge: secret })
  const asked = { type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'X' } as const
  expect((await client.send(asked)).message.pkiStatus).toBe(3)
  await on.admin.call(protocolRoom.calls.endSecret, { id: secretId })
  expect((await client.send(asked)).message.failInfoText).toContain('has ended')
  const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep', state: 'pending', size: 1 })
  await on.pki.bob.call(certificateRoom.calls.decide, { requestId: rows[0]?.requestId ?? '', round: 1, verdict: 'approve' })
  const content = encodeIssuerAndSubject(client.registrar.issuerEncoded, device.holder.certificate.subjectEncoded)
  expect((await client.send({ ...asked, type: 'CertPoll', content })).message).toMatchObject({
    pkiStatus: 2,
    failInfoText: expect.stringContaining('has ended') as string,
  })
})

describe('A device with a certificate', () => {
  test('renews by it, for its own names alone, and reads certificate and list', async () => {
    const { id, client } = await ready()
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret })
    const first = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder })
    const held = { ...device.holder, certificate: parseCertificate(first.certificates[0] ?? new Uint8Array()) }
    const next = deviceOf(on.tools)
    const renewed = await client.send({ type: 'RenewalReq', content: next.csr, by: held, transactionId: 'next' })
    expect(leafOf(renewed).subjectAltName).toBe('DNS:router.example.org')
    const more = deviceOf(on.tools, { names: ['router.example.org', 'bank.example.org'] })
    const refused = await client.send({ type: 'RenewalReq', content: more.csr, by: held, transactionId: 'more' })
    expect(refused.message).toMatchObject({ pkiStatus: 2, failInfo: FAIL_INFOS.badCertId })
    const bySelf = await client.send({ type: 'RenewalReq', content: next.csr, by: next.holder, transactionId: 'self' })
    expect(bySelf.message.pkiStatus).toBe(2)
    const named = encodeIssuerAndSerial(held.certificate.issuerEncoded, held.certificate.serialNumber)
    const own = await client.send({ type: 'GetCert', content: named, by: held, transactionId: 'get' })
    expect(leafOf(own).serialNumber).toBe(leafOf(first).serialNumber)
    const list = await client.send({ type: 'GetCRL', content: named, by: held, transactionId: 'list' })
    expect(list.message.pkiStatus === 0 ? list.crls.length : list.message.failInfoText).toBe(1)
  })
})

test('A secret for any name, or without a number of uses, is made by who configures profiles alone', async () => {
  const { id: profileId } = await ready()
  const { addSecret, addChallenge } = protocolRoom.calls
  const desk = await on.pki.tenancy.person({ permissions: ['certScep'] })
  const narrow = { profileId, name: 'A router', names: { DNS: ['router.example.org'] } }
  const open = { profileId, name: 'Any router', names: {} }
  for (const [call, draft] of [
    [addSecret, { ...open, uses: 1 }],
    [addSecret, narrow],
    [addChallenge, open],
  ] as const)
    await expect(desk.call(call, draft)).rejects.toMatchObject({ status: 403, code: 'denied' })
  await desk.call(addChallenge, narrow)
  await desk.call(addSecret, { ...narrow, uses: 1 })
  await on.admin.call(addSecret, open)
})

test('A certificate that came another way is not renewed here, although its template is the same', async () => {
  const { client } = await ready()
  const device = deviceOf(on.tools)
  const { requestId } = await on.admin.call(certificateRoom.calls.request, {
    templateId: on.templateId,
    entity: 'device',
    csr: `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(device.csr).toString('base64')}\n-----END CERTIFICATE REQUEST-----`,
    values: { DNS: ['router.example.org'] },
  })
  const { certificate: pem } = await on.admin.call(certificateRoom.calls.statusByRequest, { rid: requestId })
  const certificate = parseCertificate(new X509Certificate(pem).raw)
  const held = { ...device.holder, certificate }
  const next = deviceOf(on.tools)
  const refused = await client.send({ type: 'RenewalReq', content: next.csr, by: held })
  expect(refused.message).toMatchObject({ pkiStatus: 2, failInfo: FAIL_INFOS.badCertId })
})

describe('What is sent by strangers', () => {
  test('is answered alike whether its padding or its content is wrong, so that nobody reads recorded messages by asking', async () => {
    const { client } = await shared()
    const { holder, csr } = deviceOf(on.tools, { keyFile })
    const types = ['PKCSReq', 'RenewalReq', 'CertPoll', 'GetCert', 'GetCRL'] as const
    const said = async (type: (typeof types)[number], content: Uint8Array) => {
      const { message } = await client.send({ type, content, by: holder, transactionId: type })
      return [message.failInfo, message.failInfoText]
    }
    const answers = []
    for (const type of types)
      for (const content of [Buffer.alloc(40, 7), Buffer.from('3003020101', 'hex')]) answers.push(await said(type, content))
    answers.push(await said('CertPoll', csr))
    const cannotOpen = [FAIL_INFOS.badMessageCheck, 'The message cannot be opened with the key of this profile']
    expect(answers).toEqual(answers.map(() => cannotOpen))
  })

  test('of each other message type is refused, from 0 to 255, whatever challenge is in it', async () => {
    const { id, client } = await shared()
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret, keyFile: on.tools.csr().keyFile })
    const known = [17, 19, 20, 21, 22]
    const others = Array.from({ length: 256 }, (_, type) => type).filter((type) => !known.includes(type))
    while (others.length > 0)
      await Promise.all(
        others.splice(0, 32).map(async (type) => {
          const { message } = await client.send({ type, content: device.csr, by: device.holder, transactionId: `type ${type}` })
          expect([type, message.pkiStatus, message.failInfo]).toEqual([type, 2, FAIL_INFOS.badRequest])
        }),
      )
    // None of them has spent it.
    expect((await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder })).certificates.length).toBeGreaterThan(1)
  })

  test.each<[string, Partial<Sent>]>([
    ['in BER', { change: inBer }],
    ['in an address with a raw plus and a raw equals sign', { byGet: true, spell: (text) => text }],
    ['in an address whose plus became a blank', { byGet: true, spell: (text) => text.replaceAll('+', '%20') }],
    ['in an address of lines', { byGet: true, spell: (text) => text.replaceAll(/.{64}/g, '$&%0D%0A') }],
    ['in an address in which all is escaped', { byGet: true, spell: encodeURIComponent }],
  ])('%s is read, and answered in DER and in the cipher in which it came', async (_what, more) => {
    const { id, client } = await shared()
    const { secret } = await on.secret(id, { uses: 2 })
    const device = deviceOf(on.tools, { challenge: secret, keyFile })
    for (const cipher of ['aes-128-cbc', 'aes-256-cbc'] as const) {
      const answered = await client.send({
        type: 'PKCSReq',
        content: device.csr,
        by: device.holder,
        transactionId: randomUUID(),
        cipher,
        ...more,
      })
      if (answered.message.pkiStatus !== 0) throw new Error(answered.message.failInfoText)
      expect(() => readDer(answered.bytes)).not.toThrow()
      expect(parseEnvelopedData(answered.message.envelope ?? new Uint8Array()).cipher).toBe(cipher)
    }
  })

  test('in Triple DES is refused as an algorithm, and the challenge is still good', async () => {
    const { id, client } = await shared()
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret, keyFile })
    const asked = { type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'triple' } as const
    expect((await client.send({ ...asked, cipher: 'des-ede3-cbc' })).message.failInfo).toBe(FAIL_INFOS.badAlg)
    expect((await client.send({ ...asked, cipher: 'aes-256-cbc' })).certificates.length).toBeGreaterThan(1)
  })

  test('that is no message is refused plainly', async () => {
    const { client, url } = await ready()
    expect((await client.post(Buffer.from('nothing'))).status).toBe(400)
    expect((await client.post(Buffer.alloc(0))).status).toBe(400)
    const { pathname } = new URL(url)
    expect((await on.fetchFrom(`${pathname}?operation=UpdateReq`)).status).toBe(400)
    expect((await on.fetchFrom('/scep/AAAAAAAAAAAA?operation=GetCACaps')).status).toBe(404)
  })

  test('that was changed on its way is not taken', async () => {
    const { id, client } = await shared()
    const { secret } = await on.secret(id)
    const device = deviceOf(on.tools, { challenge: secret, keyFile })
    const changed = await client.send({
      type: 'PKCSReq',
      content: device.csr,
      by: device.holder,
      change: (bytes) => {
        const copy = Uint8Array.from(bytes)
        copy[copy.length - 20] = (copy[copy.length - 20] ?? 0) ^ 1
        return copy
      },
    })
    expect(changed.message).toMatchObject({ pkiStatus: 2, failInfo: FAIL_INFOS.badMessageCheck })
  })
})

describe('The page of a challenge', () => {
  test('shows whose it is without spending it, and the challenge once', async () => {
    const { id, client } = await ready()
    const { link } = await on.admin.call(protocolRoom.calls.addChallenge, {
      profileId: id,
      name: 'A router',
      names: { DNS: ['router.example.org'] },
    })
    const key = decodeURIComponent(new URL(link).pathname.split('/').at(-1) ?? '')
    const page = await on.house.signedOut.call(protocolRoom.calls.challengePage, { id: key })
    expect(page).toMatchObject({ names: ['router.example.org'], name: 'A router' })
    const { challenge } = await on.house.signedOut.call(protocolRoom.calls.revealChallenge, { id: key })
    for (const call of [protocolRoom.calls.revealChallenge, protocolRoom.calls.challengePage])
      for (const tried of [key, 'nothing', `${key.slice(0, -1)}A`])
        expect((await refusal(on.house.signedOut.call(call, { id: tried }))).code).toBe('gone')
    const device = deviceOf(on.tools, { challenge })
    expect((await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder })).message.pkiStatus).toBe(0)
  })
})
