// The responder as relying parties ask it: with a nonce and without, through caches, at every server, and with nonsense.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { openHouse } from '#core/server/open.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest, encodeOcspGetPath } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { checkSignature } from '#standards/x509/algorithms.ts'
import { revocation } from '../contract.ts'
import { openRevocations, statusIn, type Leaf } from './revocation.fixture.ts'

const { revoke } = revocation.calls

const { house, ada, authority, issue, ask, close } = await openRevocations()
afterAll(close)

describe('OCSP', () => {
  test('sends a nonce back and keeps no such answer', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    expect(await ask(ca, leaf.serial, one)).toMatchObject({ nonce: new Uint8Array(one) })
    expect(await ask(ca, leaf.serial, other)).toMatchObject({ nonce: new Uint8Array(other) })
  })

  test('sends each of many who ask at the same moment the answer to their own request, on whichever way they come', async () => {
    const ca = await authority()
    const leaves = [await issue(ca), await issue(ca)]
    const port = Number(new URL(house.origin).port)
    const onConnection = async (serial: string, nonce: Buffer) => {
      const request = buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.from(serial, 'hex'))], nonce })
      const socket = connect(port, 'localhost')
      await once(socket, 'connect')
      socket.write(
        Buffer.concat([
          Buffer.from(`POST /pki/ocsp/${ca.publicId} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${request.length}\r\n\r\n`),
          request,
        ]),
      )
      let received = Buffer.alloc(0)
      for await (const data of socket) {
        received = Buffer.concat([received, data])
        const body = received.indexOf('\r\n\r\n') + 4
        if (body > 4 && received.length === body + Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, body))?.[1]))
          return parseOcspResponse(received.subarray(body))
      }
      throw new Error('The connection ended before the answer')
    }
    const byHttp = (serial: string, nonce: Buffer) => ask(ca, serial, nonce)
    // From now on the statuses are known.
    for (const { serial } of leaves) await byHttp(serial, randomBytes(32))
    const asked = Array.from({ length: 120 }, (_one, at) => ({
      serial: leaves[at % 2]?.serial ?? '',
      nonce: randomBytes(32),
      way: at % 3 === 0 ? byHttp : onConnection,
    }))
    const answers = await Promise.all(asked.map(({ serial, nonce, way }) => way(serial, nonce)))
    for (const [at, { serial, nonce }] of asked.entries()) {
      const response = answers[at]
      if (response === undefined || !('responses' in response)) throw new Error('There is an answer without a status')
      expect([
        Buffer.from(response.nonce ?? []).toString('hex'),
        Buffer.from(response.responses[0]?.certId.serialNumber ?? []).toString('hex'),
      ]).toEqual([nonce.toString('hex'), serial])
      expect(checkSignature('ecdsa-with-SHA256', ca.certificate.publicKey.spki, response.responseData, response.signature)).toEqual({
        ok: true,
      })
    }
  })

  test('gives the same answer again without a nonce until something is revoked', async () => {
    const ca = await authority()
    const [leaf, another] = [await issue(ca), await issue(ca)]
    const first = await ask(ca, leaf.serial)
    house.clock.advance(5_000)
    expect(await ask(ca, leaf.serial)).toEqual(first)
    await ada.call(revoke, { certId: another.id, reason: 'superseded' })
    expect(statusIn(await ask(ca, another.serial))).toBe('revoked')
    expect(await ask(ca, leaf.serial)).not.toEqual(first)
    expect(statusIn(await ask(ca, leaf.serial))).toBe('good')
  })

  test('of every server calls a certificate revoked from the moment in which the revocation was answered', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const second = await openHouse({
      settings: house.house.settings,
      connection: house.connection,
      rooms: house.rooms,
      identify: async () => undefined,
      port: 0,
      migrated: true,
      background: false,
    })
    try {
      const askSecond = async (one: Leaf, nonce?: Uint8Array) => {
        const request = buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.from(one.serial, 'hex'))], nonce })
        const response = await fetch(`http://localhost:${second.doors.port}/pki/ocsp/${ca.publicId}`, {
          method: 'POST',
          body: Buffer.from(request),
        })
        return statusIn(parseOcspResponse(new Uint8Array(await response.arrayBuffer())))
      }
      const leaves = [leaf, ...(await Promise.all(Array.from({ length: 5 }, () => issue(ca))))]
      for (const one of leaves) {
        // Answers that were kept, and those that are signed for their nonce from a status that was kept.
        const everybody = async () => [
          await askSecond(one),
          await askSecond(one, randomBytes(32)),
          statusIn(await ask(ca, one.serial)),
          statusIn(await ask(ca, one.serial, randomBytes(32))),
        ]
        expect(await everybody()).toEqual(Array(4).fill('good'))
        expect(await everybody()).toEqual(Array(4).fill('good'))
        await ada.call(revoke, { certId: one.id, reason: 'superseded' })
        expect(await everybody()).toEqual(Array(4).fill('revoked'))
      }
    } finally {
      await second.close()
    }
  })

  test('answers a GET in a form that caches keep for a minute, the first time and from memory alike', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const request = buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.from(leaf.serial, 'hex'))] })
    const get = () => house.fetch(`/pki/ocsp/${ca.publicId}${encodeOcspGetPath(request)}`)
    const answers = [await get(), await get(), await get()]
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('max-age=60, public, no-transform, must-revalidate')
      expect([headers.get('etag'), headers.get('last-modified')]).toEqual([
        answers[0]?.headers.get('etag'),
        answers[0]?.headers.get('last-modified'),
      ])
      expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/)
      expect(Date.parse(headers.get('expires') ?? '') - house.clock.now().getTime()).toBeLessThanOrEqual(60_000)
    }
    const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer()).toString('hex')))
    expect(new Set(bodies).size).toBe(1)
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    const after = parseOcspResponse(new Uint8Array(await (await get()).arrayBuffer()))
    expect(statusIn(after)).toBe('revoked')
  })

  test('names the responder by its key, or by its name where that is set', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    expect(await ask(ca, leaf.serial)).toMatchObject({ responderId: { byKey: expect.any(Uint8Array) } })
    await ada.call(revocation.calls.setPublication, { caId: ca.caId, shards: 0, delta: false, deltaMinutes: 60, responderId: 'byName' })
    await expect
      .poll(async () => 'responderId' in (await ask(ca, leaf.serial)) && (await ask(ca, leaf.serial)))
      .toMatchObject({ responderId: { byName: ca.certificate.subjectEncoded } })
  })

  test('refuses a nonce of more than 128 bytes', async () => {
    const ca = await authority()
    const short = Buffer.from(buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.of(1))], nonce: Buffer.alloc(128, 1) }))
    const send = async (body: Buffer) =>
      parseOcspResponse(new Uint8Array(await (await house.fetch(`/pki/ocsp/${ca.publicId}`, { method: 'POST', body })).arrayBuffer()))
    expect(await send(short)).toMatchObject({ status: 'successful', nonce: new Uint8Array(128).fill(1) })
    // One byte more.
    const longer = Buffer.from(short.toString('hex').replace('048180' + '01'.repeat(128), '048181' + '01'.repeat(129)), 'hex')
    expect(await send(longer)).toEqual({ status: 'malformedRequest' })
  })

  test('does not know a serial that was never issued, until it is', async () => {
    const ca = await authority()
    expect(statusIn(await ask(ca, '0123456789abcdef'))).toBe('unknown')
  })

  test('answers about several certificates at once', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const issuer = ca.certificate
    const certIds = [leaf.serial, 'beef'].map((serial) => certIdFor(issuer, Buffer.from(serial, 'hex'), 'sha256'))
    const response = await house.fetch(`/pki/ocsp/${ca.publicId}`, { method: 'POST', body: Buffer.from(buildOcspRequest({ certIds })) })
    const answer = parseOcspResponse(new Uint8Array(await response.arrayBuffer()))
    expect('responses' in answer && answer.responses.map(({ status: one }) => one)).toEqual(['good', 'unknown'])
  })

  test('is not the responder of another authority', async () => {
    const [ca, other] = [await authority(), await authority()]
    expect(await ask({ ...ca, publicId: other.publicId }, '01')).toEqual({ status: 'unauthorized' })
    expect(await ask({ ...ca, publicId: 'nobody' }, '01')).toEqual({ status: 'unauthorized' })
  })

  test.each<[string, (path: string) => Promise<Response>]>([
    ['an empty POST', (path) => house.fetch(path, { method: 'POST', body: '' })],
    ['random bytes', (path) => house.fetch(path, { method: 'POST', body: Buffer.from('3030303030ff', 'hex') })],
    ['20 kB', (path) => house.fetch(path, { method: 'POST', body: Buffer.alloc(20_000, 0x30) })],
    ['deep nesting', (path) => house.fetch(path, { method: 'POST', body: Buffer.alloc(8_000, Buffer.of(0x30, 0x80)) })],
    ['a GET without a request', (path) => house.fetch(path)],
    ['a GET of a slash alone', (path) => house.fetch(`${path}/`)],
    ['a GET that is not Base64', (path) => house.fetch(`${path}/@@@`)],
    ['a GET of nothing', (path) => house.fetch(`${path}/AAAA`)],
    ['a GET of 40 kB', (path) => house.fetch(`${path}/${'MDAw'.repeat(2_500)}`)],
  ])('%s is malformedRequest', async (_what, send) => {
    const ca = await authority()
    const response = await send(`/pki/ocsp/${ca.publicId}`)
    expect(response.status).toBe(200)
    expect(parseOcspResponse(new Uint8Array(await response.arrayBuffer()))).toEqual({ status: 'malformedRequest' })
  })

  test('a client that goes away within its request disturbs nobody', async () => {
    const ca = await authority()
    const port = Number(new URL(house.origin).port)
    for (const sent of ['', '30', '3030']) {
      const socket = connect(port, 'localhost')
      socket.write(`POST /pki/ocsp/${ca.publicId} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n${sent}`)
      await once(socket, 'connect')
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    }
    expect(statusIn(await ask(ca, '0123456789abcdef'))).toBe('unknown')
  })

  test('every request with one changed byte gets an answer of the protocol', async () => {
    const ca = await authority()
    const request = Buffer.from(buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.of(1, 2, 3))], nonce: Buffer.alloc(32, 7) }))
    const outcomes = new Set<string>()
    for (let index = 0; index < request.length; index += 1) {
      const changed = Buffer.from(request)
      changed[index] = (changed[index] ?? 0) ^ 0x41
      const response = await house.fetch(`/pki/ocsp/${ca.publicId}`, { method: 'POST', body: changed })
      expect(response.status, `byte ${index}`).toBe(200)
      outcomes.add(parseOcspResponse(new Uint8Array(await response.arrayBuffer())).status)
    }
    expect(outcomes.size).toBeGreaterThan(1)
    expect([...outcomes].every((one) => ['successful', 'malformedRequest', 'unauthorized'].includes(one))).toBe(true)
  })
})
