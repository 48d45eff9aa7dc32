// Project Wycheproof's signatures, each file whole: what it calls valid we verify, and nothing else. "acceptable" (a PKCS#1 signature whose
// hash lacks its NULL) is refused, since strict is what we want to be.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DerError } from '../der/reader.ts'
import { explicit, integer, nullValue, oid, sequence } from '../der/writer.ts'
import {
  checkSignature,
  keyFitsAlgorithm,
  parseAlgorithmIdentifier,
  type SignatureAlgorithm,
  type SignatureAlgorithmName,
} from './algorithms.ts'
import { OIDS } from './oids.ts'
import type { PublicKeyInfo } from './public-key-info.ts'
import { parsePublicKey } from './public-key.ts'

interface Vector {
  tcId: number
  msg: string
  sig: string
  ctx?: string
  result: 'valid' | 'acceptable' | 'invalid'
}
interface Group {
  publicKeyDer: string
  tests: Vector[]
  sha?: string
  mgfSha?: string
  sLen?: number
}
interface Vectors {
  numberOfTests: number
  testGroups: Group[]
}

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex')
const read = (file: string): Vectors => JSON.parse(readFileSync(new URL(`vectors/${file}_test.json`, import.meta.url), 'utf8')) as Vectors

function keyOf({ publicKeyDer }: Group): PublicKeyInfo | undefined {
  try {
    return parsePublicKey(hex(publicKeyDer))
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}

/** The tcIds where we and the file differ. A context other than the empty one is none that certificates have (RFC 9881 3). */
function differences(algorithm: SignatureAlgorithm, { testGroups }: Vectors): number[] {
  return testGroups.flatMap((group) => {
    const key = keyOf(group)
    return group.tests
      .filter(({ msg, sig, ctx = '', result }) => {
        const accepted = key !== undefined && keyFitsAlgorithm(key, algorithm) && checkSignature(algorithm, key.spki, hex(msg), hex(sig)).ok
        return accepted !== (result === 'valid' && ctx === '')
      })
      .map(({ tcId }) => tcId)
  })
}

describe.each<[SignatureAlgorithm, string, number]>([
  ['ecdsa-with-SHA256', 'ecdsa_secp256r1_sha256', 400],
  ['ecdsa-with-SHA384', 'ecdsa_secp384r1_sha384', 500],
  ['Ed25519', 'ed25519', 100],
  ['Ed448', 'ed448', 80],
  ['rsassaPss-sha256', 'rsa_pss_2048_sha256_mgf1_32', 100],
  ['sha256WithRSAEncryption', 'rsa_signature_2048_sha256', 200],
  ['sha256WithRSAEncryption', 'rsa_signature_4096_sha256', 200],
  ['ML-DSA-65', 'mldsa_65_verify', 200],
])('%s', (algorithm, file, atLeast) => {
  test(`judges every signature of ${file} as Wycheproof does`, () => {
    const vectors = read(file)
    expect(vectors.testGroups.reduce((sum, { tests }) => sum + tests.length, 0)).toBe(vectors.numberOfTests)
    expect(vectors.numberOfTests).toBeGreaterThan(atLeast)
    expect(differences(algorithm, vectors)).toEqual([])
  })
})

const DIGESTS: { readonly [name: string]: string } = {
  'SHA-1': OIDS.sha1,
  'SHA-224': '2.16.840.1.101.3.4.2.4',
  'SHA-256': OIDS.sha256,
  'SHA-384': OIDS.sha384,
  'SHA-512': OIDS.sha512,
}

/** RSASSA-PSS-params in DER: what is the default is left out (RFC 4055 3.1). */
function pssIdentifier({ sha = '', mgfSha = '', sLen = 0 }: Group): Uint8Array {
  const digest = (name: string) => sequence(oid(DIGESTS[name] ?? ''), nullValue())
  return sequence(
    oid(OIDS.rsassaPss),
    sequence(
      ...(sha === 'SHA-1' ? [] : [explicit(0, digest(sha))]),
      ...(mgfSha === 'SHA-1' ? [] : [explicit(1, sequence(oid(OIDS.mgf1), digest(mgfSha)))]),
      ...(sLen === 20 ? [] : [explicit(2, integer(sLen))]),
    ),
  )
}

test('of all combinations of hash, mask and salt only the three that RFC 4055 recommends are read, and verify', () => {
  const { testGroups } = read('rsa_pss_misc')
  const verified = testGroups.flatMap((group) => {
    let algorithm: SignatureAlgorithmName
    try {
      algorithm = parseAlgorithmIdentifier(pssIdentifier(group))
    } catch (error) {
      if (error instanceof DerError) return []
      throw error
    }
    const key = keyOf(group)
    return group.tests.map(({ msg, sig }) => [algorithm, key !== undefined && checkSignature(algorithm, key.spki, hex(msg), hex(sig)).ok])
  })
  expect(testGroups).toHaveLength(150)
  expect(verified).toEqual([
    ['rsassaPss-sha256', true],
    ['rsassaPss-sha384', true],
    ['rsassaPss-sha512', true],
  ])
})
