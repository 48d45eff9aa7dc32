import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { concat, explicit, generalizedTime, integer, octetString, oid, sequence } from '../der/writer.ts'
import { encodeExtensions } from '../x509/extensions.ts'
import { encodeName, nameOf } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { parsePublicKey } from '../x509/public-key.ts'
import { CERT_ID_HASHES, certIdFor } from './cert-id.ts'
import { buildPlainResponseData, hasNonce, plainIssuers, readPlainOcspRequest } from './plain.ts'
import { buildOcspRequest, nonceExtension, parseOcspRequest } from './request.ts'
import { buildOcspResponseData, encodeCertStatus, encodeResponderId, type CertStatus, type ResponderId } from './response.ts'

const issuerOf = (name: string) => ({
  subjectEncoded: encodeName(nameOf(['CN', name])),
  publicKey: parsePublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' })),
})
const issuer = issuerOf('Issuing')
const issuers = plainIssuers(issuer)
const serials = [
  Buffer.of(0x7f, 1),
  Buffer.of(0x80, 0),
  Buffer.concat([Buffer.of(0xff), randomBytes(19)]),
  randomBytes(16),
  Buffer.of(1, 2, 3),
]
const nonces = [undefined, 1, 16, 32, 100, 128].map((length) => (length === undefined ? undefined : randomBytes(length)))

/** Every hash, serial number and nonce with every other, up to the length that is plain. */
const requests = CERT_ID_HASHES.flatMap((hash) =>
  serials.flatMap((serial) =>
    nonces.map((nonce) => ({ serial, nonce, bytes: buildOcspRequest({ certIds: [certIdFor(issuer, serial, hash)], nonce }) })),
  ),
).filter(({ bytes }) => bytes.length <= 258)
const times = { thisUpdate: new Date('2026-03-04T05:06:07Z'), nextUpdate: new Date('2026-03-04T06:06:07Z') }
const validity = concat(generalizedTime(times.thisUpdate), explicit(0, generalizedTime(times.nextUpdate)))

describe('an OCSP request as nearly all clients write it', () => {
  test('says the same read by its places as read in full', () => {
    for (const { bytes } of requests) {
      const plain = readPlainOcspRequest(bytes, issuers)
      const full = parseOcspRequest(bytes)
      expect(plain).toBeDefined()
      if (plain === undefined) continue
      expect(Buffer.compare(bytes.subarray(plain.certId, plain.certIdEnd), full.certIds[0]?.encoded ?? new Uint8Array())).toBe(0)
      expect(Buffer.compare(bytes.subarray(plain.serialNumber, plain.certIdEnd), full.certIds[0]?.serialNumber ?? new Uint8Array())).toBe(0)
      expect(hasNonce(plain)).toBe(full.nonce !== undefined)
    }
  })

  test('is answered with the same bytes as any other', () => {
    const statuses: CertStatus[] = [
      { status: 'good' },
      { status: 'unknown' },
      { status: 'revoked', revocationTime: new Date('2026-01-02T03:04:05Z') },
      { status: 'revoked', revocationTime: new Date('2026-01-02T03:04:05Z'), reason: 'keyCompromise' },
    ]
    const responders: ResponderId[] = [{ byKey: randomBytes(20) }, { byName: issuer.subjectEncoded }]
    for (const { bytes } of requests) {
      const [status = { status: 'good' }, responderId = { byKey: randomBytes(20) }] = [
        statuses[randomInt(statuses.length)],
        responders[randomInt(2)],
      ]
      const plain = readPlainOcspRequest(bytes, issuers)
      const { certIds, nonce } = parseOcspRequest(bytes)
      const answer =
        plain &&
        buildPlainResponseData(plain, {
          responderId: encodeResponderId(responderId),
          producedAt: generalizedTime(times.thisUpdate),
          certStatus: encodeCertStatus(status),
          validity,
        })
      const responses = certIds.map((certId) => ({ ...status, ...times, certId }))
      expect(Buffer.from(answer ?? []).toString('hex')).toBe(
        Buffer.from(buildOcspResponseData({ responderId, producedAt: times.thisUpdate, responses, nonce })).toString('hex'),
      )
    }
  })

  test('is read by its places only where it is well written: of every byte that is changed, cut off or added', () => {
    const { bytes } = requests.find(({ nonce }) => nonce?.length === 32) ?? { bytes: new Uint8Array() }
    const changed = Array.from(bytes, (_byte, at) =>
      [0x00, 0x01, 0x7f, 0x80, 0xff, (bytes[at] ?? 0) ^ 1].map((byte) => bytes.with(at, byte)),
    ).flat()
    const cut = Array.from(bytes, (_byte, length) => bytes.slice(0, length))
    let readable = 0
    for (const other of [...changed, ...cut, concat(bytes, Uint8Array.of(0))]) {
      const plain = readPlainOcspRequest(other, issuers)
      if (plain === undefined) continue
      readable += 1
      // Whatever it takes, the strict reader takes, and finds the same.
      const full = parseOcspRequest(other)
      expect(Buffer.compare(other.subarray(plain.serialNumber, plain.certIdEnd), full.certIds[0]?.serialNumber ?? new Uint8Array())).toBe(0)
      expect(full.nonce?.length).toBe(32)
    }
    // Other bytes of the serial number and the nonce.
    expect(readable).toBeGreaterThan(100)
  })

  test('is left to the full reader where it is about another authority, about two certificates, or asks for more', () => {
    const one = certIdFor(issuer, Buffer.of(0x55, 1))
    const single = sequence(one.encoded)
    const nonce = nonceExtension(randomBytes(32))
    const others = [
      buildOcspRequest({ certIds: [certIdFor(issuerOf('Issuing'), Buffer.of(0x55, 1))] }),
      buildOcspRequest({ certIds: [one, one] }),
      sequence(sequence(explicit(0, integer(0)), sequence(single))),
      sequence(sequence(sequence(single)), explicit(0, sequence(sequence(oid(OIDS['ecdsa-with-SHA256'])), Uint8Array.of(3, 2, 0, 1)))),
      sequence(sequence(sequence(sequence(one.encoded, explicit(0, encodeExtensions([nonce])))))),
      sequence(
        sequence(
          sequence(single),
          explicit(2, encodeExtensions([nonce, { type: 'unknown', oid: '1.2.3', critical: false, value: octetString() }])),
        ),
      ),
      sequence(sequence(sequence(single), explicit(2, encodeExtensions([{ ...nonce, critical: true }])))),
    ]
    for (const bytes of others) {
      expect(readPlainOcspRequest(bytes, issuers)).toBeUndefined()
      expect(parseOcspRequest(bytes).certIds.length).toBeGreaterThan(0)
    }
  })
})
