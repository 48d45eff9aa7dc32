// Certification path validation (RFC 5280 6): from a certificate, a pool of others and the roots that are trusted, to a
// verdict, the path, and for every path that was refused the reasons. Building goes upwards by names, the likeliest issuer
// first, and never through a certificate that no path may hold. If nothing is found it goes again, this time through
// everything, only to be able to say what is wrong. Nothing here reads a clock, a file or the network.
import type { ParsedCrl } from '../crl/parse.ts'
import type { Oid } from '../der/values.ts'
import type { Certificate } from '../x509/certificate.ts'
import { buildPaths, type Pool } from './build-paths.ts'
import { certificateFaults } from './certificate-faults.ts'
import { checkPath } from './check-path.ts'
import { knowList, type KnownList } from './crl-scope.ts'
import { fault, faultIn, type CertificateFault, type PathFault } from './fault.ts'
import { know, type Known } from './known.ts'
import { openListSigners, type ListSigners } from './list-signers.ts'
import type { ReferenceName } from './names.ts'
import type { PolicyQuestion } from './policy-graph.ts'
import type { Purpose } from './purposes.ts'
import { revocationOutcome, type RevocationQuestion, type RevocationState, type OwnStatus } from './revocation.ts'
import { openWork, WorkExhausted, type Work, type WorkKind, type WorkLimits } from './work.ts'

export interface VerificationInput extends PolicyQuestion {
  leaf: Certificate
  intermediates: readonly Certificate[]
  /** trust anchors; they must be valid and authorities as others must, only their signatures do not count */
  roots: readonly Certificate[]
  /** full, delta and indirect lists, in any order */
  crls?: readonly ParsedCrl[]
  /** what authorities that could be asked know themselves, by the fingerprint of the certificate */
  ownStatuses?: ReadonlyMap<string, OwnStatus>
  at: Date
  /** `any` unless said */
  purpose?: Purpose
  name?: ReferenceName | undefined
  /** refuse certificates below the root of which no list speaks; false unless said */
  requireRevocationLists?: boolean
  limits?: Partial<WorkLimits>
}

export interface VerifiedPath {
  /** leaf first */
  certificates: Certificate[]
  /** whether it ends at a trusted root */
  complete: boolean
  /** empty for the path found */
  faults: PathFault[]
  /** policies under which it is valid; `2.5.29.32.0` is any */
  policies: Oid[]
  /** of each certificate */
  revocation: RevocationState[]
}

export interface Verification {
  verdict: 'valid' | 'invalid'
  /** the path found; undefined when there is none */
  path: VerifiedPath | undefined
  /** the likeliest first, at most 20 */
  rejected: VerifiedPath[]
  /** rejected paths that are not shown */
  omitted: number
  /** why the search was given up before all paths were looked at */
  gaveUp: CertificateFault | undefined
  /** of those whose revocation lists were looked at: the path to the root, the signer first */
  signers: Certificate[][]
  work: { readonly [Kind in WorkKind]: number }
}

const REJECTED_SHOWN = 20
const REJECTED_KEPT = 200
/** Of the second time, which only explains. */
const EXPLAINED_PATHS = 8

/** Never throws for what the certificates and lists hold. Costs at most what `limits` allow, by default well under a second. */
export function verifyCertificate(input: VerificationInput): Verification {
  const work = openWork(input.limits)
  const question = { at: input.at, purpose: input.purpose ?? 'any', name: input.name } as const
  const pool = openPool(input)
  const leaf = pool.anchors.find(({ fingerprint }) => fingerprint === know(input.leaf, false).fingerprint) ?? know(input.leaf, false)
  const asked = {
    at: input.at,
    lists: pool.lists,
    ownStatuses: input.ownStatuses ?? new Map<string, OwnStatus>(),
    named: (name: string) => pool.bySubject.get(name) ?? [],
  }
  const signers = openListSigners(pool, asked, work)
  const own = new Map<Known, CertificateFault[]>()
  const faultsOf = (known: Known, at: number): CertificateFault[] => {
    if (at === 0) return (leafFaults ??= certificateFaults(known, 'leaf', question, work))
    let faults = own.get(known)
    if (faults === undefined) own.set(known, (faults = certificateFaults(known, 'issuer', question, work)))
    return faults
  }
  let leafFaults: CertificateFault[] | undefined
  let rejected: VerifiedPath[] = []
  let omitted = 0
  let found: VerifiedPath | undefined
  let gaveUp: CertificateFault | undefined

  const reject = (path: VerifiedPath): void => {
    if (rejected.length < REJECTED_KEPT) rejected.push(path)
    else omitted += 1
  }
  const complete = (path: readonly Known[]): boolean => {
    work.spend('paths')
    const checked = checkWhole(path, faultsOf, input, asked, signers, work)
    if (checked.faults.length > 0) reject(checked)
    else found = checked
    return found !== undefined
  }
  const dead = (path: readonly Known[], faults: readonly PathFault[]): void => {
    reject({
      certificates: path.map(({ certificate }) => certificate),
      complete: false,
      faults: [...faults],
      policies: [],
      revocation: path.map(() => 'notChecked'),
    })
  }

  try {
    if (faultsOf(leaf, 0).length === 0) buildPaths(leaf, pool, { faultsOf, complete, dead }, work)
    if (found === undefined) {
      rejected = []
      omitted = 0
      let explained = 0
      const explain = (path: readonly Known[]): boolean => complete(path) || (explained += 1) >= EXPLAINED_PATHS
      buildPaths(leaf, pool, { faultsOf, complete: explain, dead, throughEverything: true }, work)
    }
  } catch (error) {
    if (!(error instanceof WorkExhausted)) throw error
    gaveUp = fault('tooMuchWork', error.message)
  }
  rejected.sort(
    (left, right) =>
      Number(right.complete) - Number(left.complete) ||
      left.faults.length - right.faults.length ||
      right.certificates.length - left.certificates.length,
  )
  return {
    verdict: found === undefined ? 'invalid' : 'valid',
    path: found,
    rejected: rejected.slice(0, REJECTED_SHOWN),
    omitted: omitted + Math.max(0, rejected.length - REJECTED_SHOWN),
    gaveUp,
    signers: signers.paths().map((path) => path.map(({ certificate }) => certificate)),
    work: work.done,
  }
}

interface OpenPool extends Pool {
  anchors: readonly Known[]
  lists: readonly KnownList[]
}

function openPool({ intermediates, roots, crls = [] }: VerificationInput): OpenPool {
  const known = new Map<string, Known>()
  for (const [list, anchor] of [
    [roots, true],
    [intermediates, false],
  ] as const) {
    for (const certificate of list) {
      const each = know(certificate, anchor)
      if (!known.has(each.fingerprint)) known.set(each.fingerprint, each)
    }
  }
  const bySubject = new Map<string, Known[]>()
  for (const each of known.values()) {
    const others = bySubject.get(each.subject)
    if (others === undefined) bySubject.set(each.subject, [each])
    else others.push(each)
  }
  return { bySubject, anchors: [...known.values()].filter(({ anchor }) => anchor), lists: crls.map(knowList) }
}

type FaultsOf = (known: Known, at: number) => readonly CertificateFault[]

function checkWhole(
  path: readonly Known[],
  faultsOf: FaultsOf,
  input: VerificationInput,
  asked: Pick<RevocationQuestion, 'at' | 'lists' | 'ownStatuses' | 'named'>,
  signers: ListSigners,
  work: Work,
): VerifiedPath {
  const { faults, policies } = checkPath(path, input, work)
  const own = path.flatMap((known, at) => faultsOf(known, at).map(({ code, says }) => faultIn(at, code, says)))
  const revocation = revocationOutcome(
    path,
    {
      ...asked,
      required: input.requireRevocationLists ?? false,
      judgeSigner: signers.judge,
    },
    work,
  )
  return {
    certificates: path.map(({ certificate }) => certificate),
    complete: true,
    faults: [...own, ...faults, ...revocation.faults].sort((left, right) => right.at - left.at),
    policies,
    revocation: revocation.states,
  }
}
