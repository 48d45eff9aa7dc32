// The keys of the demonstration's people and things: of elliptic curves one for each certificate; of RSA one for about fifty, because making one for each
// would take minutes. The private halves sign the requests and are then forgotten.

import type { KeyObject } from 'node:crypto'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import type { KeyKindName } from '#areas/templates/rules.ts'
import { signWith, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import type { Name } from '#standards/x509/names.ts'
import type { Chance } from './chance.ts'

export type SubjectKeys = {
  /** A signed request for this subject, and the key that it is for. */
  request(kind: KeyKindName, subject: Name): { csr: Buffer; spki: Buffer }
}

type Pair = { privateKey: KeyObject; spki: Uint8Array }

const kinds = [
  { algorithm: 'P-256', share: 0.85, certificatesForEach: 1, signature: 'ecdsa-with-SHA256' },
  { algorithm: 'RSA-2048', share: 0.25, certificatesForEach: 50, signature: 'sha256WithRSAEncryption' },
] as const satisfies { algorithm: KeyAlgorithm; share: number; certificatesForEach: number; signature: SignatureAlgorithm }[]

/** Nobody else's: where such a key is compromised, no other certificate is. */
export const isOwnKey = (kind: KeyKindName): boolean =>
  kinds.some(({ algorithm, certificatesForEach }) => algorithm === kind && certificatesForEach === 1)

export async function makeSubjectKeys(certificates: number, chance: Chance): Promise<SubjectKeys> {
  const pools = new Map<KeyKindName, { signature: SignatureAlgorithm; pairs: Pair[] }>()
  for (const { algorithm, share, certificatesForEach, signature } of kinds) {
    const count = Math.max(2, Math.ceil((certificates * share) / certificatesForEach))
    pools.set(algorithm, { signature, pairs: await Promise.all(Array.from({ length: count }, () => generateKeyPair(algorithm))) })
  }
  return {
    request(kind, subject) {
      const pool = pools.get(kind)
      if (pool === undefined) throw new Error(`The demonstration has no keys of the kind ${kind}`)
      // The last one is kept, so that there is always one.
      const own = isOwnKey(kind) && pool.pairs.length > 1 ? pool.pairs.pop() : undefined
      const { privateKey, spki } = own ?? chance.pick(pool.pairs)
      const info = buildCsrInfo({ subject, publicKey: spki })
      return { csr: Buffer.from(assembleSigned(info, pool.signature, signWith(pool.signature, privateKey, info))), spki: Buffer.from(spki) }
    },
  }
}
