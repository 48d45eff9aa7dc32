// One P-256 leaf with ten extensions, built from its template and signed, beside the bare signature over the same bytes: how much of the time is
// ours. Both sides take turns in short rounds, so that whatever else the machine does meets both.

import { generateKeyPairSync, randomFillSync, sign } from 'node:crypto'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, checkIssuedBy, parseCertificate } from '#standards/x509/certificate.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { nameOf } from '#standards/x509/names.ts'
import { keyIdentifier, parsePublicKey } from '#standards/x509/public-key.ts'
import { compileCertificate, type CertificateFields } from '#standards/x509/template.ts'
import { speedOfP256 } from './openssl.ts'
import type { Bench } from './run.ts'

const algorithm = 'ecdsa-with-SHA256'
const signaturesOfARound = 2_000
/** Until the engine has compiled what it will run; a server that issues is in that state after its first minute. */
const warmUpRounds = 15
const uri = (value: string) => ({ type: 'uniformResourceIdentifier' as const, value })

export const run: Bench['run'] = async ({ rounds = 41, say }) => {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const authoritySpki = authority.publicKey.export({ format: 'der', type: 'spki' })
  const template = compileCertificate({
    signatureAlgorithm: algorithm,
    issuer: nameOf(['C', 'AU'], ['O', 'Bench'], ['CN', 'Bench issuing authority']),
    extensions: [
      { type: 'basicConstraints', critical: true, cA: false },
      { type: 'keyUsage', critical: true, usages: ['digitalSignature', 'keyAgreement'] },
      'subjectAltName',
      { type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.serverAuth, KEY_PURPOSES.clientAuth] },
      { type: 'certificatePolicies', critical: false, policies: [{ policyIdentifier: '2.23.140.1.2.1' }] },
      { type: 'tlsFeature', critical: false, features: [5] },
      'subjectKeyIdentifier',
      { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: keyIdentifier(authoritySpki) },
      {
        type: 'cRLDistributionPoints',
        critical: false,
        distributionPoints: [{ fullName: [uri('http://pki.example.org/crl/issuing.crl')] }],
      },
      {
        type: 'authorityInfoAccess',
        critical: false,
        descriptions: [
          { accessMethod: '1.3.6.1.5.5.7.48.1', accessLocation: uri('http://pki.example.org/ocsp/issuing') },
          { accessMethod: '1.3.6.1.5.5.7.48.2', accessLocation: uri('http://pki.example.org/ca/issuing.cer') },
        ],
      },
    ],
  })
  const keys = Array.from({ length: 64 }, () =>
    parsePublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' })),
  )
  const serials = randomFillSync(Buffer.alloc(16 * signaturesOfARound))
  const began = Math.floor(Date.now() / 1000) * 1000
  // What each certificate has of its own, as a request and the clock give it; from here on it is our work.
  const fields = Array.from({ length: signaturesOfARound }, (_, at): CertificateFields => {
    const name = `device-${at}.example.org`
    const publicKey = keys[at % keys.length] ?? new Uint8Array()
    const notBefore = new Date(began + at * 1000)
    return {
      serialNumber: serials.subarray(at * 16, at * 16 + 16),
      notBefore,
      notAfter: new Date(notBefore.getTime() + 90 * 86_400_000),
      subject: nameOf(['CN', name]),
      publicKey,
      subjectAltNames: [{ type: 'dNSName', value: name }],
    }
  })
  const certificate = (own: CertificateFields): Uint8Array => {
    const tbs = template(own)
    return assembleSigned(tbs, algorithm, signWith(algorithm, authority.privateKey, tbs))
  }
  const [first] = fields
  if (first === undefined) throw new Error('There is nothing to build')
  const built = parseCertificate(certificate(first))
  if (built.extensions.length !== 10 || !checkIssuedBy(built, { publicKey: parsePublicKey(authoritySpki) }).ok)
    throw new Error('The certificate does not hold')

  const sides = {
    buildSign: certificate,
    rawSign: () => sign('sha256', built.tbs, authority.privateKey),
  }
  const rates: { [side in keyof typeof sides]: number[] } = { buildSign: [], rawSign: [] }
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    // Who goes first changes, so that neither always has the warmer machine.
    const order = round % 2 === 0 ? (['buildSign', 'rawSign'] as const) : (['rawSign', 'buildSign'] as const)
    for (const side of order) {
      const rate = rateOf(sides[side], fields)
      if (round >= 0) rates[side].push(rate)
    }
    if (round % 10 === 9) say(`round ${round + 1} of ${rounds}`)
  }
  const ratios = rates.buildSign.map((rate, round) => rate / (rates.rawSign[round] ?? Number.NaN))
  const { signs } = await speedOfP256(1)
  return {
    figures: {
      buildSignPerSecond: Math.round(median(rates.buildSign)),
      rawSignPerSecond: Math.round(median(rates.rawSign)),
      opensslSignsPerSecond: Math.round(signs),
      extensions: built.extensions.length,
      certificateBytes: built.encoded.length,
      rounds,
    },
    ratios: {
      buildSignToRawSign: Number(median(ratios).toFixed(3)),
      buildSignToOpenssl: Number((median(rates.buildSign) / signs).toFixed(3)),
    },
  }
}

/** By the processor's time of this process: what others run meanwhile does not count. */
function rateOf(work: (own: CertificateFields) => Uint8Array, fields: readonly CertificateFields[]): number {
  const before = process.cpuUsage()
  for (const own of fields) work(own)
  const { user, system } = process.cpuUsage(before)
  return fields.length / ((user + system) / 1e6)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
