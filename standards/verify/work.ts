// What a verification may cost, counted and not timed, so that the same input gives the same answer on every machine. Pools
// can be made in which the number of paths grows with the factorial of the certificates, and names and constraints that
// multiply; each kind of work has its own limit, chosen so that all of them together stay well under a second.
import { createHash } from 'node:crypto'
import { hexOf } from '../der/values.ts'
import { checkSignature, type SignatureAlgorithmName, type SignatureCheck } from '../x509/algorithms.ts'
import { checkPublicKey } from '../x509/key-checks.ts'
import type { KeyFinding } from '../x509/key-finding.ts'
import type { PublicKeyInfo } from '../x509/public-key-info.ts'

export const WORK_LIMITS = {
  /** signatures of certificates and revocation lists; the same one is checked once */
  signatureChecks: 200,
  /** public keys judged */
  keyChecks: 200,
  /** certificates put on top of a path */
  steps: 4_000,
  /** paths looked at as a whole */
  paths: 64,
  /** certificates of the right name that a path might go on to */
  candidates: 1_000_000,
  /** names against constraints, in units of an address and a range */
  nameComparisons: 1_500_000,
  /** policies and mappings, and what leads from one to another */
  policies: 200_000,
  /** revocation lists tried for a distribution point */
  lists: 100_000,
  /** entries of revocation lists */
  listEntries: 4_000_000,
} as const

export type WorkKind = keyof typeof WORK_LIMITS
export type WorkLimits = { readonly [Kind in WorkKind]: number }

const WORK_NAMES: { readonly [Kind in WorkKind]: string } = {
  signatureChecks: 'signature checks',
  keyChecks: 'keys',
  steps: 'steps',
  paths: 'paths',
  candidates: 'possible issuers',
  nameComparisons: 'comparisons of names',
  policies: 'policies',
  lists: 'revocation lists',
  listEntries: 'entries of revocation lists',
}

/** Thrown inside standards/verify only: the limit of one kind of work is used up. */
export class WorkExhausted extends Error {
  readonly kind: WorkKind
  constructor(kind: WorkKind, limit: number) {
    super(`The search was given up after ${limit.toLocaleString('en-GB')} ${WORK_NAMES[kind]}.`)
    this.name = 'WorkExhausted'
    this.kind = kind
  }
}

const COSTLY: ReadonlySet<KeyFinding['code']> = new Set<KeyFinding['code']>(['rsaTooLong', 'rsaExponentLarge'])

/** Anything that was signed: a certificate or a revocation list. */
export interface Signed {
  algorithm: SignatureAlgorithmName
  data: Uint8Array
  signature: Uint8Array
}

export interface Work {
  readonly done: { readonly [Kind in WorkKind]: number }
  /** Throws WorkExhausted. */
  spend(kind: WorkKind, amount?: number): void
  /** Each pair of what was signed and key is checked once. Throws WorkExhausted. */
  checkSignature(signed: Signed, key: PublicKeyInfo): SignatureCheck
  /** What is wrong with a key so that it must not be relied upon. Throws WorkExhausted. */
  keyFaults(key: PublicKeyInfo): readonly KeyFinding[]
}

export function openWork(limits: Partial<WorkLimits> = {}): Work {
  const most: WorkLimits = { ...WORK_LIMITS, ...limits }
  const done = {
    signatureChecks: 0,
    keyChecks: 0,
    steps: 0,
    paths: 0,
    candidates: 0,
    nameComparisons: 0,
    policies: 0,
    lists: 0,
    listEntries: 0,
  }
  const checks = new Map<Signed['data'], Map<string, SignatureCheck>>()
  const keys = new Map<string, readonly KeyFinding[]>()
  const identities = new WeakMap<PublicKeyInfo, string>()

  const identityOf = (key: PublicKeyInfo): string => {
    let identity = identities.get(key)
    if (identity === undefined) identities.set(key, (identity = keyIdentity(key)))
    return identity
  }
  const spend = (kind: WorkKind, amount = 1): void => {
    if (done[kind] + amount > most[kind]) throw new WorkExhausted(kind, most[kind])
    done[kind] += amount
  }
  return {
    done,
    spend,
    checkSignature({ algorithm, data, signature }, key) {
      let ofThis = checks.get(data)
      if (ofThis === undefined) checks.set(data, (ofThis = new Map()))
      let check = ofThis.get(identityOf(key))
      if (check === undefined) {
        spend('signatureChecks')
        // Such a key costs many milliseconds to try, and could not be relied upon anyway.
        const broken = this.keyFaults(key).find(({ code }) => COSTLY.has(code))
        check = broken === undefined ? checkSignature(algorithm, key.spki, data, signature) : { ok: false, reason: broken.message }
        ofThis.set(identityOf(key), check)
      }
      return check
    },
    keyFaults(key) {
      let found = keys.get(identityOf(key))
      if (found === undefined) {
        spend('keyChecks')
        found = checkPublicKey(key).filter(({ severity }) => severity === 'error')
        keys.set(identityOf(key), found)
      }
      return found
    },
  }
}

/** A text that is the same for the same SubjectPublicKeyInfo. */
export function keyIdentity({ spki }: PublicKeyInfo): string {
  return spki.length <= 64 ? hexOf(spki) : createHash('sha256').update(spki).digest('hex')
}
