// How a virtual card attests its keys: as Yubico's do, under a root of its own. Whoever reads this file can sign by that root, so that it proves nothing; it lets
// people see attestation without hardware, and is trusted only where somebody said so.

import { createHash, createPrivateKey, createECDH, createPublicKey, type KeyObject } from 'node:crypto'
import { signWith } from '../../x509/algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate, type Certificate } from '../../x509/certificate.ts'
import type { Extension } from '../../x509/extension-types.ts'
import { nameOf } from '../../x509/names.ts'
import { statementExtensions, statementName } from '../attestation.ts'
import { spkiOf } from '../public-keys.ts'

const from = new Date('2026-01-01T00:00:00Z')
const to = new Date('2076-01-01T00:00:00Z')
const algorithm = 'ecdsa-with-SHA256'
export const virtualRootName = 'Chancery virtual cards (proves nothing)'

/** The key that follows from a text: the same on each machine. */
function keyFrom(text: string): KeyObject {
  const machine = createECDH('prime256v1')
  const secret = createHash('sha256').update(text).digest()
  machine.setPrivateKey(secret)
  const point = machine.getPublicKey()
  const part = (begin: number) => point.subarray(begin, begin + 32).toString('base64url')
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: secret.toString('base64url'), x: part(1), y: part(33) } })
}

type Issued = { subject: string; publicKey: Uint8Array; issuer: string; key: KeyObject; extensions: readonly Extension[] }

function issue({ subject, publicKey, issuer, key, extensions }: Issued): Uint8Array {
  const serial = createHash('sha256').update(subject).update(publicKey).digest().subarray(0, 8)
  serial[0] = 1
  const tbs = buildTbsCertificate({
    serialNumber: serial,
    signatureAlgorithm: algorithm,
    issuer: nameOf(['CN', issuer]),
    notBefore: from,
    notAfter: to,
    subject: nameOf(['CN', subject]),
    publicKey,
    extensions,
  })
  return assembleSigned(tbs, algorithm, signWith(algorithm, key, tbs))
}

const authority = (pathLenConstraint: number): Extension[] => [
  { type: 'basicConstraints', critical: true, cA: true, pathLenConstraint },
  { type: 'keyUsage', critical: true, usages: ['keyCertSign'] },
]
const rootKey = () => keyFrom('chancery virtual cards: attestation root')
const deviceKey = (serial: number) => keyFrom(`chancery virtual card ${serial}: attestation`)
const publicOf = (key: KeyObject) => spkiOf(createPublicKey(key))

let root: Certificate | undefined
export function virtualRoot(): Certificate {
  const key = rootKey()
  root ??= parseCertificate(
    issue({ subject: virtualRootName, publicKey: publicOf(key), issuer: virtualRootName, key, extensions: authority(1) }),
  )
  return root
}

const deviceName = 'Chancery virtual card attestation'

/** The certificate of the key that signs statements. */
export const virtualDevice = (serial: number): Uint8Array =>
  issue({ subject: deviceName, publicKey: publicOf(deviceKey(serial)), issuer: virtualRootName, key: rootKey(), extensions: authority(0) })

export type Attested = {
  serial: number
  firmware: readonly number[]
  reference: number
  spki: Uint8Array
  policy: readonly [number, number]
}

export function virtualStatement({ serial, firmware, reference, spki, policy }: Attested): Uint8Array {
  const number = Buffer.alloc(7)
  number.set([2, 5, 0])
  number.writeUInt32BE(serial, 3)
  const extension = (oid: string, value: Uint8Array): Extension => ({ type: 'unknown', oid, critical: false, value })
  return issue({
    subject: statementName(reference),
    publicKey: spki,
    issuer: deviceName,
    key: deviceKey(serial),
    extensions: [
      extension(statementExtensions.firmware, Uint8Array.from(firmware)),
      extension(statementExtensions.serial, serial >= 0x80_00_00_00 ? number : Uint8Array.of(2, 4, ...number.subarray(3))),
      extension(statementExtensions.policy, Uint8Array.from(policy)),
    ],
  })
}
