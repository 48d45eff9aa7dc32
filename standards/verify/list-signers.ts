// Whether the signer of a revocation list may be believed (RFC 5280 6.3.3 (f)): its certificate leads to the anchor of the path and is not revoked
// itself, nor any above it. A list does not speak for its own signer, else whoever stole the key could vouch for it.
import type { Pool } from './build-paths.ts'
import { buildPaths } from './build-paths.ts'
import { certificateFaults } from './certificate-faults.ts'
import { checkPath } from './check-path.ts'
import type { Known } from './known.ts'
import { revocationOutcome, type RevocationQuestion, type SignerVerdict } from './revocation.ts'
import type { Work } from './work.ts'

export interface ListSigners {
  /** Throws WorkExhausted. */
  judge(signer: Known, anchor: Known): SignerVerdict
  /** the paths of signers that were judged, each from the signer to the anchor */
  paths(): readonly (readonly Known[])[]
}

export function openListSigners(
  pool: Pool,
  asked: Pick<RevocationQuestion, 'at' | 'lists' | 'ownStatuses' | 'named'>,
  work: Work,
): ListSigners {
  const verdicts = new Map<string, SignerVerdict>()
  const found = new Map<string, readonly Known[]>()
  const underWay = new Set<string>()
  let circles = 0

  const judge = (signer: Known, anchor: Known): SignerVerdict => {
    if (signer === anchor) return 'trusted'
    const key = `${signer.fingerprint} ${anchor.fingerprint}`
    const known = verdicts.get(key)
    if (known !== undefined) return known
    if (underWay.has(key)) {
      circles += 1
      return 'circular'
    }
    const before = circles
    underWay.add(key)
    const verdict = leadsTo(signer, anchor, key) ? 'trusted' : 'refused'
    underWay.delete(key)
    // What was found while lists were passed over holds for that moment only.
    if (underWay.size === 0 || circles === before) verdicts.set(key, verdict)
    return verdict
  }

  function leadsTo(signer: Known, anchor: Known, key: string): boolean {
    const question = { at: asked.at, purpose: 'any' } as const
    const faultsOf = (known: Known, place: number) => certificateFaults(known, place === 0 ? 'leaf' : 'issuer', question, work)
    if (faultsOf(signer, 0).length > 0) return false
    let leads = false
    const complete = (path: readonly Known[]): boolean => {
      work.spend('paths')
      if (path.at(-1) !== anchor || checkPath(path, {}, work).faults.length > 0) return false
      found.set(`${key} ${found.size}`, path)
      leads = revocationOutcome(path, { ...asked, required: false, judgeSigner: judge }, work).faults.length === 0
      return leads
    }
    buildPaths(signer, pool, { faultsOf, complete, dead: () => {} }, work)
    return leads
  }

  return { judge, paths: () => [...found.values()] }
}
