import { CURVES, pointFault, type CurveName } from './curves.ts'
import { edwardsFault, montgomeryFault, type Fault } from './edwards-checks.ts'
// Public keys that should never be certified: too short, malformed, or with a flaw that lets anyone find the private key.
// checkPublicKey costs at most half a millisecond, so that it runs on every request and certificate; checkRequestedKey adds
// what costs a modular exponentiation, and is for keys that somebody wants certified.
import type { KeyFinding } from './key-finding.ts'
import { oidName } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { rawKeyUse } from './raw-keys.ts'
import { checkRsa, isKnownPrime, PRIMALITY_MAXIMUM_BITS } from './rsa-checks.ts'

/** Everything wrong with the key that is cheap to see; empty for a good one. Throws nothing. */
export function checkPublicKey(info: PublicKeyInfo): readonly KeyFinding[] {
  let findings = checked.get(info)
  if (findings === undefined) checked.set(info, (findings = checkOnce(info)))
  return findings
}
/** A key read once is judged by several rules. */
const checked = new WeakMap<PublicKeyInfo, readonly KeyFinding[]>()

/** A key comes with a request, and a moment later in what would be signed for it. */
function checkOnce(info: PublicKeyInfo): readonly KeyFinding[] {
  const { buffer, byteOffset, length } = info.spki
  const bytes = Buffer.from(buffer, byteOffset, length).toString('latin1')
  const known = remembered.get(bytes)
  if (known !== undefined) return known
  const findings = check(info)
  const [oldest] = remembered.keys()
  if (remembered.size >= MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  if (length <= LONGEST_REMEMBERED) remembered.set(bytes, findings)
  return findings
}
const MOST_REMEMBERED = 256
/** An RSA key of 8192 bits. */
const LONGEST_REMEMBERED = 1_100
const remembered = new Map<string, readonly KeyFinding[]>()

/**
 * checkPublicKey, with small exponents refused (old roots have them, new keys need not), and whether an RSA modulus is a prime: 2 ms for 2048 bits, 80 ms for 4096, and
 * nothing where rememberPrimality has said it. Longer ones are not tried, which
 * only their own holder could suffer from.
 */
export function checkRequestedKey(info: PublicKeyInfo): readonly KeyFinding[] {
  const findings = checkPublicKey(info).map((finding): KeyFinding =>
    finding.code === 'rsaExponentSmall' ? { ...finding, severity: 'error' } : finding,
  )
  // OpenSSL computes with no such exponent above 3072 bits, Windows with none at all: they would say that the signature is wrong.
  if ((info.exponent ?? 0n) >= 1n << 64n && !findings.some(({ severity }) => severity === 'error'))
    return [
      ...findings,
      {
        code: 'rsaExponentLarge',
        severity: 'error',
        message: 'The RSA exponent has more than 64 bits, which hardly any program can compute with.',
      },
    ]
  if (
    info.modulus === undefined ||
    info.bits > PRIMALITY_MAXIMUM_BITS ||
    findings.some(({ severity }) => severity === 'error') ||
    !isKnownPrime(info.modulus)
  )
    return findings
  return [
    ...findings,
    { code: 'rsaModulusPrime', severity: 'error', message: 'The RSA modulus is a prime: anyone can compute the private key.' },
  ]
}

function check(info: PublicKeyInfo): KeyFinding[] {
  const refused = (fault: Fault | undefined): KeyFinding[] =>
    fault === undefined ? [] : [{ code: fault.code, severity: 'error', message: `The ${info.algorithm} key ${fault.says}.` }]
  switch (info.algorithm) {
    case 'RSA':
    case 'RSASSA-PSS':
      return checkRsa(info)
    case 'EC':
      return checkEc(info)
    case 'Ed25519':
    case 'Ed448':
      return refused(edwardsFault(info.algorithm, info.keyBytes))
    case 'X25519':
    case 'X448':
      return refused(montgomeryFault(info.algorithm, info.keyBytes))
    case 'unknown':
      return [{ code: 'algorithmUnknown', severity: 'error', message: `The key algorithm ${info.algorithmOid} is not known.` }]
    default:
      return rawKeyUse(info.algorithm) === 'encapsulate' ? refused(encapsulationFault(info.keyBytes)) : []
  }
}

function checkEc({ curve, point }: PublicKeyInfo): KeyFinding[] {
  const refused = (code: KeyFinding['code'], message: string): KeyFinding[] => [{ code, severity: 'error', message }]
  if (curve === undefined || point === undefined || !isKnown(curve)) {
    const name = curve === undefined ? undefined : oidName(curve)
    return name === 'P-192'
      ? refused('curveWeak', 'The curve P-192 has less than 256 bits.')
      : refused('curveUnknown', `The curve ${curve ?? ''} is not known.`)
  }
  const fault = pointFault(curve, point)
  if (fault !== undefined) return refused('pointInvalid', `${fault}.`)
  if (CURVES[curve].bits < 256) return refused('curveWeak', `The curve ${curve} has less than 256 bits.`)
  if (point[0] !== 4)
    return refused(
      'pointCompressed',
      'The EC key is a compressed point, which not every client reads (RFC 5480 2.2). Send it uncompressed.',
    )
  return []
}

function isKnown(curve: string): curve is CurveName {
  return Object.hasOwn(CURVES, curve)
}

/** FIPS 203 7.2: every coefficient of 12 bits is below q; the last 32 bytes are a seed. */
function encapsulationFault(key: Uint8Array): Fault | undefined {
  for (let at = 0; at + 2 < key.length - 32; at += 3) {
    const [low = 0, middle = 0, high = 0] = [key[at], key[at + 1], key[at + 2]]
    if ((low | ((middle & 15) << 8)) >= 3329 || ((middle >> 4) | (high << 4)) >= 3329)
      return { code: 'keyInvalid', says: 'holds a coefficient that is not below 3329 (FIPS 203 7.2)' }
  }
  return undefined
}
