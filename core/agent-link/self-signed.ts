// The certificate of the link: TLS wants one, but it is the key that agents know; so it is made anew at each start and names nobody.

import { randomBytes, type KeyObject } from 'node:crypto'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate } from '#standards/x509/certificate.ts'
import { attribute } from '#standards/x509/names.ts'

const years = 10
const minute = 60_000

export function buildCertificate(key: KeyObject, publicKey: Uint8Array, now: Date): Uint8Array {
  const name = [[attribute('CN', 'Chancery agent link')]]
  const algorithm = 'Ed25519'
  const serialNumber = randomBytes(16)
  // A serial number is positive.
  serialNumber[0] = ((serialNumber[0] ?? 0) & 0x7f) | 0x01
  const tbs = buildTbsCertificate({
    serialNumber,
    signatureAlgorithm: algorithm,
    issuer: name,
    notBefore: new Date(now.getTime() - minute),
    notAfter: new Date(Date.UTC(now.getUTCFullYear() + years, 0)),
    subject: name,
    publicKey,
    extensions: [],
  })
  return assembleSigned(tbs, algorithm, signWith(algorithm, key, tbs))
}
