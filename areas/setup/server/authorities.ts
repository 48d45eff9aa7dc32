// The wizard's two-tier authority: a root, an issuing authority below it, and the default templates on that. Where the root stays offline, the issuing
// authority waits for its certificate.

import { createAuthority } from '#areas/authorities/service.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import type { House } from '#core/server/house.ts'
import { setup, type AuthorityDraft } from '../contract.ts'

export type Maker = { tenantId: string; userId: string; name: string }
export type MadeAuthorities = { authorities: { caId: string; name: string }[]; problem: string }

export async function makeAuthorities(house: House, maker: Maker, draft: AuthorityDraft): Promise<MadeAuthorities> {
  const authorities: MadeAuthorities['authorities'] = []
  let isIssuingMade = false
  const subject = (name: string) => ({ CN: name, O: draft.organisation, C: draft.country })
  try {
    if (draft.root === 'here') {
      const { caId } = await createAuthority(house, maker, {
        kind: 'root',
        friendlyName: draft.rootName,
        subject: subject(draft.rootName),
        keyAlgorithm: draft.rootAlgorithm ?? draft.algorithm,
        validityPeriod: draft.rootYears,
      })
      authorities.push({ caId, name: draft.rootName })
    }
    const root = authorities[0]
    const named = { friendlyName: draft.issuingName, subject: subject(draft.issuingName), keyAlgorithm: draft.algorithm }
    const issuing = await createAuthority(
      house,
      maker,
      root === undefined
        ? { ...named, kind: 'outside' }
        : { ...named, kind: 'subordinate', issuerId: root.caId, validityPeriod: draft.issuingYears },
    )
    authorities.push({ caId: issuing.caId, name: draft.issuingName })
    isIssuingMade = true
    await house.work(maker.tenantId, maker, async ({ db, emitFor }) => {
      const templates = await createDefaultTemplates(db, { tenantId: maker.tenantId, caId: issuing.caId, now: house.now() })
      emitFor(setup)('templatesMade', { caId: issuing.caId, templates: Object.keys(templates) }, issuing.caId)
    })
    return { authorities, problem: '' }
  } catch (error) {
    house.log.error({ error }, 'an authority of the set-up wizard was not made')
    const missing = isIssuingMade
      ? 'the default templates'
      : draft.root === 'here' && authorities.length === 0
        ? draft.rootName
        : draft.issuingName
    return { authorities, problem: `The installation stands, but ${missing} was not made. Make it from Authorities.` }
  }
}
