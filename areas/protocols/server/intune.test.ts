// SCEP with challenges of Microsoft Intune: it is asked about each, nothing is issued without its word, and it hears what came of each.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/house.ts'
import { FAIL_INFOS } from '#standards/scep/message.ts'
import { protocolRoom } from '../contract.ts'
import { openLittleIntune } from './intune.fixture.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import { deviceOf } from './scep-client.fixture.ts'

const { setIntune, intune: readIntune, testIntune, removeIntune, transactions } = protocolRoom.calls

let little: Awaited<ReturnType<typeof openLittleIntune>>
let on: ProtocolFixture
let keyFile: string
beforeAll(async () => {
  little = await openLittleIntune()
  on = await openProtocols({ settings: little.settings, background: true })
  keyFile = on.tools.write(on.tools.run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'))
})
afterAll(async () => {
  await on.close()
  await little.close()
})
beforeEach(() => {
  Object.assign(little.intune, { asked: [], notices: [], fault: undefined, shard: '/shard-1' })
})

const application = () => ({
  directoryId: 'contoso.onmicrosoft.com',
  clientId: 'chancery',
  loginUrl: little.origin,
  graphUrl: `${little.origin}/`,
  resourceUrl: little.origin,
  enabled: true,
})

async function ready(templateId = on.templateId, more: { directoryId?: string } = {}) {
  const { id, url } = await on.addProfile('scep', { templateId })
  await on.admin.call(setIntune, { ...application(), ...more, id, version: 0, secret: little.intune.secret })
  return { id, client: await on.client(url) }
}

let count = 0
/** A request with a challenge that Intune made. */
function managed(more: Parameters<typeof deviceOf>[1] = {}) {
  const challenge = `INTUNE${(count += 1)}X`
  little.intune.challenges.add(challenge)
  return deviceOf(on.tools, { challenge, keyFile, ...more })
}

const validations = () => little.intune.asked.filter((one) => one.includes('validateRequest'))

/** What Intune was told of a request, when it was. */
async function heardOf(csr: Buffer) {
  const find = () => little.intune.notices.find(({ notification }) => notification['certificateRequest'] === csr.toString('base64'))
  await expect.poll(find).toBeDefined()
  const told = find()
  if (told === undefined) throw new Error('Intune was told nothing')
  return told
}

async function newest() {
  const [row] = (await on.admin.call(transactions, { protocol: 'scep', size: 1 })).rows
  return row
}

test('A profile of which nothing was said to Intune can be read, with the addresses of Microsoft', async () => {
  const { id } = await on.addProfile('scep', { templateId: on.templateId })
  expect(await on.admin.call(readIntune, { id })).toMatchObject({
    directoryId: '',
    clientId: '',
    hasSecret: false,
    version: 0,
    trouble: '',
  })
})

test('A device with a challenge of Intune gets its certificate once, and Intune hears of it', async () => {
  const { client } = await ready()
  const { csr, holder } = managed()
  const first = await client.send({ type: 'PKCSReq', content: csr, by: holder })
  expect(first.certificates.length).toBeGreaterThan(1)
  // Asked again it is answered the same, without Intune.
  const again = await client.send({ type: 'PKCSReq', content: csr, by: holder })
  expect(again.certificates[0]).toEqual(first.certificates[0])
  expect(validations()).toHaveLength(1)
  const told = await heardOf(csr)
  const row = await newest()
  const { certificate } = await on.pki.ada.call(certificates.calls.info, { certId: row?.certificateId ?? '' })
  expect(told).toMatchObject({
    action: 'successNotification',
    notification: { transactionId: 'one', certificateRequest: csr.toString('base64'), callerInfo: 'Chancery' },
  })
  const serial = String(told.notification['certificateSerialNumber'])
  expect(certificate.serialNumber.replaceAll(/[^0-9a-f]/gi, '').toUpperCase()).toContain(serial)
})

test('Of another transaction the same challenge is refused, although Intune would take it again', async () => {
  const { client } = await ready()
  const { csr, holder } = managed()
  await client.send({ type: 'PKCSReq', content: csr, by: holder, transactionId: 'a' })
  const { message } = await client.send({ type: 'PKCSReq', content: csr, by: holder, transactionId: 'b' })
  expect(message.failInfo).toBe(FAIL_INFOS.badRequest)
  expect(await newest()).toMatchObject({
    state: 'refused',
    reason: 'The challenge or secret is not known here, was used, or has ended',
  })
})

test('What the template refuses, Intune hears with the reason', async () => {
  const template = await on.pki.addTemplate('TLSServer', {
    issueApprovers: 0,
    rules: { keys: ['RSA-2048'], allowedDomains: ['*.example.com'], allowedAddresses: [], wildcards: false, maximumNames: 2 },
  })
  const { client } = await ready(template)
  const { csr, holder } = managed()
  const { message } = await client.send({ type: 'PKCSReq', content: csr, by: holder })
  expect(message.failInfo).toBe(FAIL_INFOS.badRequest)
  const told = await heardOf(csr)
  const reason = (await newest())?.reason ?? ''
  expect(reason).toContain('router.example.org')
  expect(told).toMatchObject({
    action: 'failureNotification',
    notification: { transactionId: 'one', hResult: 0x80004005, errorDescription: reason.slice(0, 255) },
  })
})

test('What Intune vouched for and the house refuses before it begins, Intune hears too', async () => {
  const { client } = await ready()
  const first = managed()
  await client.send({ type: 'PKCSReq', content: first.csr, by: first.holder, transactionId: 'once' })
  await client.send({ type: 'PKCSReq', content: first.csr, by: first.holder, transactionId: 'twice' })
  const find = () => little.intune.notices.find(({ notification }) => notification['transactionId'] === 'twice')
  await expect.poll(find).toMatchObject({
    action: 'failureNotification',
    notification: { certificateRequest: first.csr.toString('base64'), hResult: 0x80004005, errorDescription: (await newest())?.reason },
  })
})

test('A challenge of Intune whose request somebody denied is spent, whatever is sent in between', async () => {
  const { client } = await ready(on.approvedId)
  const { csr, holder } = managed()
  const asked = { type: 'PKCSReq', content: csr, by: holder, transactionId: 'denied' } as const
  expect((await client.send(asked)).message.pkiStatus).toBe(3)
  const { rows } = await on.admin.call(transactions, { protocol: 'scep', state: 'pending', size: 1 })
  await on.pki.bob.call(certificates.calls.decide, { requestId: rows[0]?.requestId ?? '', round: 1, verdict: 'deny', comment: 'No' })
  on.house.clock.advance(2 * 60_000)
  await on.house.runJob(protocolRoom.jobs.goOn)
  await heardOf(csr)
  on.house.clock.advance(-2 * 60_000)
  for (const transactionId of ['denied', 'other']) {
    expect((await client.send({ ...asked, transactionId })).message.failInfoText).toContain('was used')
    // A request with no challenge of anybody writes its own reason over the transaction.
    const strange = deviceOf(on.tools, { challenge: 'nobody', keyFile })
    await client.send({ ...asked, content: strange.csr, by: strange.holder, transactionId })
  }
  expect((await client.send(asked)).message.failInfoText).toContain('was used')
})

test.each<[string, { status: number; headers?: Record<string, string>; body?: unknown }, RegExp]>([
  ['is out of order', { status: 500 }, /answers 500/],
  ['is busy', { status: 429, headers: { 'retry-after': '5' } }, /is busy/],
  ['does not let us in', { status: 403 }, /does not let this application in/],
  ['says nothing that can be read', { status: 200, body: { fine: true } }, /cannot be read/],
])('Where Intune %s nothing is issued, and the device may come again', async (_what, answer, says) => {
  const { client } = await ready()
  const { csr, holder } = managed()
  little.intune.fault = (asked) => (asked.includes('validateRequest') ? answer : undefined)
  const { message } = await client.send({ type: 'PKCSReq', content: csr, by: holder })
  expect(message.failInfo).toBe(FAIL_INFOS.badRequest)
  expect((await newest())?.reason).toMatch(says)
  little.intune.fault = undefined
  expect((await client.send({ type: 'PKCSReq', content: csr, by: holder })).certificates.length).toBeGreaterThan(1)
})

test('A service that has moved is found again, once', async () => {
  // A directory of its own: nobody else finds the service for it.
  const { client } = await ready(on.templateId, { directoryId: 'moved.example' })
  const first = managed()
  await client.send({ type: 'PKCSReq', content: first.csr, by: first.holder, transactionId: 'before' })
  await heardOf(first.csr)
  little.intune.shard = '/shard-2'
  little.intune.asked = []
  const second = managed()
  const answered = await client.send({ type: 'PKCSReq', content: second.csr, by: second.holder, transactionId: 'after' })
  expect(answered.certificates.length).toBeGreaterThan(1)
  expect(validations()).toEqual(['shard-1', 'shard-2'].map((shard) => `POST /${shard}/ScepActions/validateRequest`))
})

test('Challenges of the profile itself go on without Intune, and a profile that does not ask it refuses its challenges', async () => {
  const { id, client } = await ready()
  const { secret } = await on.secret(id)
  const own = deviceOf(on.tools, { challenge: secret, keyFile })
  expect((await client.send({ type: 'PKCSReq', content: own.csr, by: own.holder })).certificates.length).toBeGreaterThan(1)
  expect(validations()).toEqual([])
  await on.admin.call(removeIntune, { id })
  const { csr, holder } = managed()
  await client.send({ type: 'PKCSReq', content: csr, by: holder, transactionId: 'two' })
  expect((await newest())?.reason).toBe('The challenge or secret is not known here, was used, or has ended')
  expect(validations()).toEqual([])
})

test('It is set with a secret that is not shown again, tested, and kept from going elsewhere', async () => {
  const { id } = await ready()
  expect(await on.admin.call(readIntune, { id })).toMatchObject({ clientId: 'chancery', hasSecret: true, version: 1, trouble: '' })
  expect(JSON.stringify(await on.admin.call(readIntune, { id }))).not.toContain(little.intune.secret)
  expect(await on.admin.call(testIntune, { id })).toEqual({ host: new URL(little.origin).host })
  const elsewhere = { ...application(), id, version: 1, clientId: 'another' }
  expect((await refusal(on.admin.call(setIntune, elsewhere))).fields[0]?.field).toBe('secret')
  expect((await refusal(on.admin.call(setIntune, { ...elsewhere, directoryId: '../other', secret: 'x' }))).fields[0]?.field).toBe(
    'directoryId',
  )
  const metadata = { ...elsewhere, graphUrl: 'https://169.254.169.254', secret: 'x' }
  expect((await refusal(on.admin.call(setIntune, metadata))).fields[0]?.field).toBe('graphUrl')
  await on.admin.call(setIntune, { ...application(), id, version: 1, secret: 'wrong' })
  expect((await refusal(on.admin.call(testIntune, { id }))).message).toContain('does not let this application in')
})
