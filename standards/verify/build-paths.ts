// Path building: from a certificate upwards to every trusted root that it may lead to (RFC 4158). Issuers are found by name;
// key identifiers only say which to try first, because they are hints that anyone may write (RFC 4158 3.5.12). A name with
// the same key never stands twice in a path, so that authorities that certify each other make no circle.
import { formatName } from '../x509/names.ts'
import { isCheckable } from './certificate-faults.ts'
import { faultIn, type CertificateFault, type PathFault } from './fault.ts'
import type { Known } from './known.ts'
import type { Work } from './work.ts'

export interface Pool {
  /** roots and others by their comparable subject */
  bySubject: ReadonlyMap<string, readonly Known[]>
}

export interface PathVisitor {
  /** what a certificate does wrong at this place: 0 is the leaf */
  faultsOf(known: Known, at: number): readonly CertificateFault[]
  /** a path that ends at a root; true ends the search */
  complete(path: readonly Known[]): boolean
  /** a path that leads nowhere, and why */
  dead(path: readonly Known[], faults: readonly PathFault[]): void
  /** go on through certificates that no valid path may hold */
  throughEverything?: boolean
}

/** Longer paths do not occur, and each certificate in them costs. */
const LONGEST_PATH = 32

/** Throws WorkExhausted. */
export function buildPaths(leaf: Known, { bySubject }: Pool, visitor: PathVisitor, work: Work): void {
  const { faultsOf, complete, dead, throughEverything = false } = visitor
  extend([leaf])

  function extend(path: readonly Known[]): boolean {
    const top = path.at(-1)
    if (top === undefined) return false
    if (top.anchor) return complete(path)
    const at = path.length - 1
    const named = bySubject.get(top.issuer) ?? []
    work.spend('candidates', named.length)
    const issuers = named.filter((issuer) => !path.some(({ subject, key }) => subject === issuer.subject && key === issuer.key))
    if (issuers.length === 0) dead(path, [...own(path), endOf(top, at, named.length > 0)])
    else if (path.length >= LONGEST_PATH)
      dead(path, [...own(path), faultIn(at, 'pathTooLong', `The path has ${LONGEST_PATH} certificates and no root yet.`)])
    else for (const issuer of inOrder(top, issuers)) if (tryIssuer(path, top, issuer)) return true
    return false
  }

  function tryIssuer(path: readonly Known[], top: Known, issuer: Known): boolean {
    work.spend('steps')
    const longer = [...path, issuer]
    if (!throughEverything && faultsOf(issuer, path.length).length > 0) {
      dead(longer, own(longer))
      return false
    }
    // What is signed by an algorithm that is not checked is at fault already; going on shows what else is.
    const { certificate } = top
    const check = isCheckable(top)
      ? work.checkSignature(
          { algorithm: certificate.signatureAlgorithm, data: certificate.tbs, signature: certificate.signature },
          issuer.certificate.publicKey,
        )
      : ({ ok: true } as const)
    if (!check.ok) {
      dead(longer, [...own(longer), faultIn(path.length - 1, 'signature', `The next certificate's key did not sign it. ${check.reason}`)])
      return false
    }
    return extend(longer)
  }

  function own(path: readonly Known[]): PathFault[] {
    return path.flatMap((known, at) => faultsOf(known, at).map(({ code, says }) => faultIn(at, code, says)))
  }
}

function endOf({ certificate, subject, issuer }: Known, at: number, seen: boolean): PathFault {
  if (subject === issuer) return faultIn(at, 'untrustedRoot', 'It names itself as its issuer and is not among the trusted roots.')
  return faultIn(
    at,
    'noIssuer',
    seen
      ? 'Its issuer is a certificate further down the path: the authorities certify each other.'
      : `The certificate of its issuer, ${formatName(certificate.issuer)}, is missing.`,
  )
}

/** Those whose key identifier fits first, then roots, then those that are valid longest. */
function inOrder({ authorityKeyIdentifier }: Known, issuers: readonly Known[]): Known[] {
  const fits = ({ keyIdentifier }: Known): number =>
    authorityKeyIdentifier === undefined || keyIdentifier === undefined ? 1 : keyIdentifier === authorityKeyIdentifier ? 0 : 2
  return issuers.toSorted(
    (left, right) =>
      fits(left) - fits(right) ||
      Number(right.anchor) - Number(left.anchor) ||
      right.certificate.notAfter.getTime() - left.certificate.notAfter.getTime(),
  )
}
