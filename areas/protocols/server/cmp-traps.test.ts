// What hostile and careless CMP clients send: each is answered by the code that RFC 9483 has for it, protected by whatever key is known, at a cost that has an end.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { explicit, integer, sequence } from '#standards/der/writer.ts'
import { parseCsr } from '#standards/x509/csr.ts'
import { protocolRoom } from '../contract.ts'
import { buildCmpRequest, readCmpAnswer, type CmpWish } from './cmp-client.fixture.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import { derOf } from './windows-client.fixture.ts'

let on: ProtocolFixture
let csr: Buffer
let place: { url: string; id: string }
beforeAll(async () => {
  on = await openProtocols()
  csr = derOf(on.tools.csr({ subject: '/CN=router.example.org', extensions: ['subjectAltName=DNS:router.example.org'] }).csr)
  place = await on.addProfile('cmp')
})
afterAll(() => on.close())

async function post(url: string, message: Uint8Array) {
  const headers = { 'content-type': 'application/pkixcmp' }
  const answer = await on.fetchFrom(new URL(url).pathname, { method: 'POST', headers, body: Buffer.from(message) })
  expect(answer.status).toBe(200)
  return { said: readCmpAnswer(Buffer.from(await answer.arrayBuffer())), connection: answer.headers.get('connection') }
}
const send = async (message: Uint8Array) => (await post(place.url, message)).said
/** A message with the secret of a device, in all else as it is told. */
async function say(wish: Partial<CmpWish> = {}) {
  const { secret, reference } = await on.secret(place.id)
  return send(buildCmpRequest({ content: csr, reference, secret, ...wish }))
}

test.each<[string, () => Partial<CmpWish>, string]>([
  ['a nonce of 15 bytes', () => ({ senderNonce: randomBytes(15) }), 'badSenderNonce'],
  ['no nonce', () => ({ senderNonce: null }), 'badSenderNonce'],
  ['no transaction', () => ({ transactionId: null }), 'badDataFormat'],
  ['another version', () => ({ version: 1 }), 'unsupportedVersion'],
  ['a time that is long past', () => ({ messageTime: new Date(on.house.clock.now().getTime() - 3_600_000) }), 'badTime'],
  ['a time that is to come', () => ({ messageTime: new Date(on.house.clock.now().getTime() + 3_600_000) }), 'badTime'],
])('A message with %s is refused so that its client can check who refuses', async (_what, wish, failure) => {
  expect(await say(wish())).toMatchObject({ body: 'error', failure, protection: 'mac' })
})

test.each<[string, CmpWish['mac']]>([
  ['more rounds than are computed', { iterations: 100_001 }],
  ['2^31 rounds', { iterations: 2 ** 31 }],
  ['more rounds of PBKDF2', { kind: 'pbmac1', iterations: 100_001 }],
  ['2^31 rounds of PBKDF2', { kind: 'pbmac1', iterations: 2 ** 31 }],
  ['SHA-1', { owf: 'sha1' }],
])('A secret that is spread by %s is refused as an algorithm before it costs anything', async (_what, mac) => {
  expect(await say({ mac: mac ?? {} })).toMatchObject({ body: 'error', failure: 'badAlg', protection: 'signature' })
})

test.each<[string, CmpWish['mac']]>([
  ['RFC 9810', { iterations: 100_000 }],
  ['PBKDF2', { kind: 'pbmac1', iterations: 100_000 }],
])('A secret that is spread by %s in 100,000 rounds is taken, and others are answered meanwhile', async (_what, mac) => {
  const order: string[] = []
  const careful = say({ mac: mac ?? {} }).then((answer) => (order.push('careful'), answer))
  const other = on.fetchFrom('/scep/AAAAAAAAAAAA?operation=GetCACaps').then(() => order.push('other'))
  expect(await careful).toMatchObject({ body: 'cp', status: 0, protection: 'mac' })
  await other
  expect(order).toHaveLength(2)
})

test('A wrong secret and a reference that is not there are refused alike, and the refusal is signed', async () => {
  const wrong = await say({ secret: 'wrong' })
  expect(wrong).toMatchObject({ body: 'error', failure: 'badMessageCheck', protection: 'signature' })
  expect(await say({ reference: 'nobody' })).toEqual(wrong)
})

test('Only a registration authority says that it has verified a key, and no client is one', async () => {
  const { subjectEncoded, publicKey } = parseCsr(csr)
  const key = Uint8Array.from(publicKey.spki)
  key[0] = 0xa6
  const request = sequence(integer(0), sequence(explicit(5, subjectEncoded), key))
  const content = (possession: Uint8Array[]) => sequence(sequence(request, ...possession))
  const verified = await say({ body: 'ir', content: content([Buffer.from([0x80, 0])]) })
  expect(verified).toMatchObject({ body: 'error', failure: 'notAuthorized', protection: 'mac' })
  expect(await say({ body: 'ir', content: content([]) })).toMatchObject({ body: 'error', failure: 'badPOP', protection: 'mac' })
})

test('A client that is told to wait is not left with a connection that will be closed meanwhile', async () => {
  const { id, url } = await on.addProfile('cmp', { templateId: on.approvedId })
  const device = { ...(await on.secret(id)), transactionId: randomBytes(16) }
  const asks = buildCmpRequest({ ...device, content: csr })
  expect((await post(url, asks)).said).toMatchObject({ body: 'cp', status: 3 })
  const polls = buildCmpRequest({ ...device, body: 'pollReq', content: sequence(sequence(integer(-1n))) })
  const { said, connection } = await post(url, polls)
  expect([said.body, connection]).toEqual(['pollRep', 'close'])
})

test('The time in which a certificate must be confirmed begins when it is issued, however long somebody took to agree', async () => {
  const { id, url } = await on.addProfile('cmp', { templateId: on.approvedId, implicitConfirmation: false, confirmationMinutes: 10 })
  const device = { ...(await on.secret(id)), transactionId: randomBytes(16) }
  await post(url, buildCmpRequest({ ...device, content: csr }))
  on.house.clock.advance(60 * 60_000)
  const { calls, jobs } = protocolRoom
  const [row] = (await on.admin.call(calls.transactions, { protocol: 'cmp', state: 'pending', size: 1 })).rows
  await on.pki.bob.call(certificates.calls.decide, { requestId: row?.requestId ?? '', round: 1, verdict: 'approve' })
  const polls = buildCmpRequest({ ...device, body: 'pollReq', content: sequence(sequence(integer(-1n))) })
  expect((await post(url, polls)).said.status).toBe(0)
  const statusOf = async () => {
    await on.house.runJob(jobs.goOn)
    const { certificateId = '' } = (await on.admin.call(calls.transactions, { protocol: 'cmp', size: 1 })).rows[0] ?? {}
    return (await on.admin.call(certificates.calls.info, { certId: certificateId })).certificate.status
  }
  expect(await statusOf()).toBe('active')
  on.house.clock.advance(11 * 60_000)
  expect(await statusOf()).toBe('revoked')
  on.house.clock.advance(-71 * 60_000)
})
