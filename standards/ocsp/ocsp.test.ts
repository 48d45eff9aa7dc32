import fc from 'fast-check'
import { createHash, createPublicKey, randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder, type KeyKind, type OpenSslCertificate } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { explicit, integer, octetString, sequence } from '../der/writer.ts'
import { verifySignature } from '../x509/algorithms.ts'
import { encodeExtensions } from '../x509/extensions.ts'
import { OIDS } from '../x509/oids.ts'
import { CERT_ID_HASHES, certIdFor, issuerFingerprint, issuerFingerprints, type CertId } from './cert-id.ts'
import { buildOcspRequest, decodeOcspGetPath, encodeOcspGetPath, parseOcspRequest } from './request.ts'
import {
  assembleOcspResponse,
  buildOcspResponseData,
  ocspErrorResponse,
  parseOcspResponse,
  responderIdOf,
  type CertStatus,
} from './response.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const authority = folder.authority('OCSP CA', 'P-256')
const leaf = folder.issue('leaf', authority, 'P-256')
const delegate = folder.issue(
  'responder',
  authority,
  'RSA',
  'extendedKeyUsage=OCSPSigning\nnoCheck=yes\nkeyUsage=critical,digitalSignature',
)

const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')
const now = new Date(Math.floor(Date.now() / 1000) * 1000)
const later = new Date(now.getTime() + 3_600_000)

/** Our refusal told from any other error, which is handed out to be seen. */
function outcome(read: () => unknown): unknown {
  try {
    read()
    return 'read'
  } catch (error) {
    return error instanceof DerError ? 'refused' : error
  }
}

/** The request that OpenSSL makes about these certificates. */
function requestByOpenSsl(issuer: OpenSslCertificate, options: string[], ...certificates: string[]): Uint8Array {
  folder.run(
    'openssl',
    'ocsp',
    '-issuer',
    `${issuer.name}.pem`,
    ...options,
    ...certificates.flatMap((name) => ['-cert', `${name}.pem`]),
    '-reqout',
    'request.der',
  )
  return folder.read('request.der')
}

function answer(
  certIds: readonly CertId[],
  status: CertStatus,
  signer: OpenSslCertificate,
  { nonce, delegated = false }: { nonce?: Uint8Array | undefined; delegated?: boolean } = {},
): Uint8Array {
  const responseData = buildOcspResponseData({
    responderId: responderIdOf(signer.certificate),
    producedAt: now,
    responses: certIds.map((certId) => ({ certId, ...status, thisUpdate: now, nextUpdate: later })),
    nonce,
  })
  return assembleOcspResponse({
    responseData,
    signatureAlgorithm: signer.signatureAlgorithm,
    signature: signer.sign(responseData),
    certificates: delegated ? [signer.der] : [],
  })
}

/** What OpenSSL makes of the answer: its signature, and the status of the certificate. */
function judgedByOpenSsl(response: Uint8Array, issuer: OpenSslCertificate, name: string) {
  folder.write('response.der', response)
  return folder.ask(
    'openssl',
    'ocsp',
    '-respin',
    'response.der',
    '-no_nonce',
    '-issuer',
    `${issuer.name}.pem`,
    '-cert',
    `${name}.pem`,
    '-CAfile',
    `${issuer.name}.pem`,
  )
}

/** Whether OpenSSL finds it to answer the request in `request.der`, nonce included; given that, it makes no nonce of its own. */
function matchedByOpenSsl(response: Uint8Array, issuer: OpenSslCertificate) {
  folder.write('response.der', response)
  return folder.ask(
    'openssl',
    'ocsp',
    '-reqin',
    'request.der',
    '-no_nonce',
    '-respin',
    'response.der',
    '-issuer',
    `${issuer.name}.pem`,
    '-CAfile',
    `${issuer.name}.pem`,
  )
}

describe('requests that OpenSSL makes', () => {
  test.each(CERT_ID_HASHES)('are read with %s, and name issuer and serial number', (hash) => {
    const { certIds, nonce } = parseOcspRequest(requestByOpenSsl(authority, [`-${hash}`], 'leaf'))
    expect(nonce?.length).toBeGreaterThanOrEqual(16)
    expect(certIds).toHaveLength(1)
    const [certId] = certIds
    const expected = certIdFor(authority.certificate, leaf.serialNumber, hash)
    expect(certId && [hexOf(certId.issuerNameHash), hexOf(certId.issuerKeyHash), hexOf(certId.serialNumber)]).toEqual([
      hexOf(expected.issuerNameHash),
      hexOf(expected.issuerKeyHash),
      hexOf(leaf.serialNumber),
    ])
    expect(certId && issuerFingerprints(authority.certificate)).toContain(certId && issuerFingerprint(certId))
    expect(certId && issuerFingerprints(leaf.certificate)).not.toContain(certId && issuerFingerprint(certId))
  })

  test('are read without a nonce, about several certificates, and signed', () => {
    expect(parseOcspRequest(requestByOpenSsl(authority, ['-no_nonce'], 'leaf')).nonce).toBeUndefined()
    expect(
      parseOcspRequest(requestByOpenSsl(authority, [], 'leaf', 'responder')).certIds.map(({ serialNumber }) => hexOf(serialNumber)),
    ).toEqual([hexOf(leaf.serialNumber), hexOf(delegate.serialNumber)])
    expect(parseOcspRequest(requestByOpenSsl(authority, ['-signer', 'leaf.pem', '-signkey', 'leaf.key'], 'leaf')).certIds).toHaveLength(1)
  })

  test('are made by us in the same bytes', () => {
    const theirs = requestByOpenSsl(authority, ['-no_nonce', '-sha256'], 'leaf')
    expect(hexOf(buildOcspRequest({ certIds: [certIdFor(authority.certificate, leaf.serialNumber, 'sha256')] }))).toBe(hexOf(theirs))
  })
})

describe('answers in the eyes of OpenSSL', () => {
  test.each<KeyKind>(['P-256', 'P-384', 'RSA', 'Ed25519'])('signed by an authority with a %s key: good, revoked and unknown', (kind) => {
    const ca = folder.authority(`CA ${kind}`, kind)
    folder.issue(`leaf ${kind}`, ca, 'P-256')
    const { certIds, nonce } = parseOcspRequest(requestByOpenSsl(ca, [], `leaf ${kind}`))
    const judged = (status: CertStatus) => judgedByOpenSsl(answer(certIds, status, ca, { nonce }), ca, `leaf ${kind}`)
    expect(matchedByOpenSsl(answer(certIds, { status: 'good' }, ca, { nonce }), ca)).toEqual({
      ok: true,
      text: expect.stringContaining('Response verify OK'),
    })
    expect(judged({ status: 'good' })).toMatchObject({ ok: true, text: expect.stringMatching(/: good\n[^]*Response verify OK\n/) })
    expect(judged({ status: 'unknown' }).text).toMatch(/: unknown\n[^]*Response verify OK\n/)
    const revoked = judged({ status: 'revoked', revocationTime: new Date('2024-02-03T04:05:06Z'), reason: 'keyCompromise' }).text
    expect(revoked).toMatch(/: revoked\n[^]*Response verify OK\n/)
    expect(revoked).toContain('Reason: keyCompromise')
    expect(revoked).toContain('Revocation Time: Feb  3 04:05:06 2024 GMT')
    expect(revoked).not.toContain('WARNING')
  })

  test('signed by a delegate with its certificate', () => {
    const { certIds, nonce } = parseOcspRequest(requestByOpenSsl(authority, ['-sha256'], 'leaf'))
    const response = answer(certIds, { status: 'good' }, delegate, { nonce, delegated: true })
    expect(matchedByOpenSsl(response, authority)).toEqual({ ok: true, text: 'Response verify OK\n' })
    // Without -sha256 the program looks for an answer by SHA-1.
    const verdict = folder.ask(
      'openssl',
      'ocsp',
      '-respin',
      'response.der',
      '-no_nonce',
      '-issuer',
      'OCSP CA.pem',
      '-sha256',
      '-cert',
      'leaf.pem',
      '-CAfile',
      'OCSP CA.pem',
    )
    expect(verdict).toMatchObject({ ok: true, text: expect.stringMatching(/^leaf.pem: good\n[^]*Response verify OK\n/) })
    expect(verdict.text).not.toContain('WARNING')
  })

  test('with another nonce, or signed by a certificate that may not, are refused', () => {
    const { certIds } = parseOcspRequest(requestByOpenSsl(authority, [], 'leaf'))
    expect(matchedByOpenSsl(answer(certIds, { status: 'good' }, authority, { nonce: randomBytes(32) }), authority).text).toContain(
      'Nonce Verify error',
    )
    expect(judgedByOpenSsl(answer(certIds, { status: 'good' }, leaf, { delegated: true }), authority, 'leaf').text).toContain(
      'Response Verify Failure',
    )
  })

  test('are read by GnuTLS too', () => {
    const certIds = [certIdFor(authority.certificate, leaf.serialNumber, 'sha1')]
    const verify = (response: Uint8Array, ...options: string[]) => {
      folder.write('gnutls.der', response)
      return folder.ask('ocsptool', '--verify-response', '--load-response', 'gnutls.der', ...options)
    }
    const revoked = { status: 'revoked', revocationTime: now, reason: 'superseded' } as const
    const byAuthority = verify(answer(certIds, revoked, authority), '--load-signer', 'OCSP CA.pem')
    expect(byAuthority).toMatchObject({
      ok: true,
      text: expect.stringMatching(/Certificate Status: revoked[^]*Verifying OCSP Response: Success/),
    })
    expect(verify(answer(certIds, revoked, delegate, { delegated: true }), '--load-trust', 'OCSP CA.pem')).toMatchObject({
      ok: true,
      text: expect.stringContaining('Success'),
    })
  })

  test.each(['malformedRequest', 'internalError', 'tryLater', 'sigRequired', 'unauthorized'] as const)('that say only %s', (status) => {
    const response = ocspErrorResponse(status)
    requestByOpenSsl(authority, [], 'leaf')
    expect(judgedByOpenSsl(response, authority, 'leaf').text.toLowerCase()).toContain(`responder error: ${status.toLowerCase()}`)
    expect(parseOcspResponse(response)).toEqual({ status })
  })
})

describe('reading an answer', () => {
  test('gives back what was written', () => {
    const certIds = [
      certIdFor(authority.certificate, Uint8Array.of(0, 0x80), 'sha512'),
      certIdFor(authority.certificate, leaf.serialNumber),
    ]
    const nonce = randomBytes(32)
    const parsed = parseOcspResponse(
      answer(certIds, { status: 'revoked', revocationTime: now, reason: 'certificateHold' }, delegate, { nonce, delegated: true }),
    )
    if (parsed.status !== 'successful') throw new Error(parsed.status)
    expect(parsed.responses.map(({ certId }) => hexOf(certId.encoded))).toEqual(certIds.map(({ encoded }) => hexOf(encoded)))
    expect(parsed.responses[0]).toMatchObject({
      status: 'revoked',
      revocationTime: now,
      reason: 'certificateHold',
      thisUpdate: now,
      nextUpdate: later,
      certId: { hash: 'sha512', serialNumber: Uint8Array.of(0x80) },
    })
    expect(parsed.responderId).toEqual({
      byKey: Uint8Array.from(createHash('sha1').update(delegate.certificate.publicKey.keyBytes).digest()),
    })
    expect(hexOf(parsed.nonce)).toBe(hexOf(nonce))
    expect(parsed.producedAt).toEqual(now)
    expect(parsed.certificates.map(hexOf)).toEqual([hexOf(delegate.der)])
    expect(verifySignature(parsed.signatureAlgorithm, createPublicKey(delegate.key), parsed.responseData, parsed.signature)).toBe(true)
  })

  test('of OpenSSL works as well', () => {
    const serial = hexOf(leaf.serialNumber)?.toUpperCase()
    folder.write('index.txt', `R\t360101000000Z\t240203040506Z,superseded\t${serial}\tunknown\t/CN=leaf\n`)
    requestByOpenSsl(authority, [], 'leaf')
    folder.run(
      'openssl',
      'ocsp',
      '-index',
      'index.txt',
      '-CA',
      'OCSP CA.pem',
      '-rsigner',
      'responder.pem',
      '-rkey',
      'responder.key',
      '-reqin',
      'request.der',
      '-respout',
      'theirs.der',
      '-ndays',
      '1',
    )
    const parsed = parseOcspResponse(folder.read('theirs.der'))
    if (parsed.status !== 'successful') throw new Error(parsed.status)
    expect(parsed.responses).toMatchObject([{ status: 'revoked', revocationTime: new Date('2024-02-03T04:05:06Z'), reason: 'superseded' }])
    expect(hexOf(parsed.nonce)).toBe(hexOf(parseOcspRequest(folder.read('request.der')).nonce))
    expect(parsed.responderId).toEqual({ byName: delegate.subject })
    expect(verifySignature(parsed.signatureAlgorithm, createPublicKey(delegate.key), parsed.responseData, parsed.signature)).toBe(true)
  })
})

describe('the path of a GET', () => {
  const request = buildOcspRequest({ certIds: [certIdFor(authority.certificate, leaf.serialNumber)], nonce: randomBytes(20) })
  const base64 = Buffer.from(request).toString('base64')

  test.each([
    ['as we write it', encodeOcspGetPath(request)],
    ['not escaped at all', `/${base64}`],
    ['escaped in lower case', `/${base64.replaceAll('+', '%2b').replaceAll('/', '%2f').replaceAll('=', '%3d')}`],
    ['with + turned into a space', `/${base64.replaceAll('+', ' ')}`],
    ['without padding', `/${base64.replace(/=+$/, '')}`],
    ['after an address that ends in a slash', `//${base64}`],
    ['without its slash', base64],
  ])('is read %s', (_what, path) => {
    expect(hexOf(decodeOcspGetPath(path))).toBe(hexOf(request))
  })

  test('is that of the example in RFC 5019 section 5', () => {
    const path = '/MEowSDBGMEQwQjAKBggqhkiG9w0CBQQQ7sp6GTKpL2dAdeGaW267owQQqInESWQD0mGeBArSgv%2FBWQIQLJx%2Fg9xF8oySYzol80Mbpg%3D%3D'
    const request5019 = decodeOcspGetPath(path)
    expect(encodeOcspGetPath(request5019)).toBe(path)
    // It asks by MD5, which nobody should any more.
    expect(() => parseOcspRequest(request5019)).toThrow(
      'tbsRequest.requestList[0].reqCert.hashAlgorithm: The hash algorithm 1.2.840.113549.2.5 is not one of sha1, sha256, sha384, sha512',
    )
  })

  test.each(['', '/', '/%', '/%zz', '/MEow!', '/M', `/${'A'.repeat(100_000)}`, '/..%2f..%2fetc%2fpasswd'])('%j is refused', (path) => {
    expect(() => parseOcspRequest(decodeOcspGetPath(path))).toThrow(DerError)
  })

  test('whatever it holds, nothing but a request or a refusal comes out', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webPath()), (path) => {
        expect(['read', 'refused']).toContain(outcome(() => parseOcspRequest(decodeOcspGetPath(path))))
      }),
    )
  })
})

describe('hostile bytes', () => {
  const certIds = [certIdFor(authority.certificate, leaf.serialNumber, 'sha256')]
  const request = buildOcspRequest({ certIds, nonce: randomBytes(32) })
  const response = answer(certIds, { status: 'revoked', revocationTime: now, reason: 'superseded' }, authority, {
    nonce: randomBytes(32),
    delegated: true,
  })

  test.each<[string, Uint8Array, (bytes: Uint8Array) => unknown]>([
    ['request', request, parseOcspRequest],
    ['response', response, parseOcspResponse],
  ])('every beginning and every changed bit of a %s is refused or read, and never anything else', (_what, der, read) => {
    for (let length = 0; length < der.length; length += 1) expect(() => read(der.subarray(0, length))).toThrow(DerError)
    expect(() => read(Buffer.concat([der, Uint8Array.of(0)]))).toThrow(DerError)
    let refused = 0
    for (let bit = 0; bit < der.length * 8; bit += 1) {
      const changed = Uint8Array.from(der)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const found = outcome(() => read(changed))
      expect(['read', 'refused']).toContain(found)
      if (found === 'refused') refused += 1
    }
    expect(refused).toBeGreaterThan(der.length / 2)
  })

  test('a request about more than sixteen certificates is refused', () => {
    const sixteen = Array.from({ length: 16 }, (_, index) => certIdFor(authority.certificate, Uint8Array.of(index + 1)))
    expect(parseOcspRequest(buildOcspRequest({ certIds: sixteen })).certIds).toHaveLength(16)
    expect(() => parseOcspRequest(buildOcspRequest({ certIds: [...sixteen, ...certIds] }))).toThrow('At most 16')
  })

  test('a nonce of 1 to 128 bytes is taken, and no other (RFC 9654)', () => {
    for (const length of [1, 32, 128])
      expect(parseOcspRequest(buildOcspRequest({ certIds, nonce: new Uint8Array(length) })).nonce).toHaveLength(length)
    for (const length of [0, 129]) expect(() => buildOcspRequest({ certIds, nonce: new Uint8Array(length) })).toThrow(RangeError)
    const withNonce = (value: Uint8Array) =>
      sequence(
        sequence(
          sequence(sequence(certIds[0]?.encoded ?? value)),
          explicit(2, encodeExtensions([{ type: 'unknown', oid: OIDS.ocspNonce, critical: false, value }])),
        ),
      )
    expect(parseOcspRequest(withNonce(octetString(new Uint8Array(128)))).nonce).toHaveLength(128)
    for (const length of [0, 129, 4000])
      expect(() => parseOcspRequest(withNonce(octetString(new Uint8Array(length))))).toThrow(`A nonce has 1 to 128 bytes, not ${length}`)
    expect(() => parseOcspRequest(withNonce(Buffer.from('not DER')))).toThrow(DerError)
  })

  test('a request that is too long is not looked at', () => {
    expect(() => parseOcspRequest(new Uint8Array(100_000))).toThrow('at most 16384')
  })

  test('a request of a version to come is refused', () => {
    const [certId] = certIds
    expect(() =>
      parseOcspRequest(sequence(sequence(explicit(0, integer(1)), sequence(sequence(certId?.encoded ?? new Uint8Array(0)))))),
    ).toThrow('version')
  })

  test('an answer about nothing cannot be made', () => {
    expect(() => buildOcspResponseData({ responderId: responderIdOf(authority.certificate), producedAt: now, responses: [] })).toThrow(
      RangeError,
    )
    expect(() => buildOcspRequest({ certIds: [] })).toThrow(RangeError)
  })
})
