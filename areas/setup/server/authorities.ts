// The wizard's two-tier authority: a root, an issuing authority below it, and the default templates on that.

import { createAuthority } from '#areas/authorities/service.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import type { House } from '#core/server/house.ts'
import { setup, type AuthorityDraft } from '../contract.ts'

export type Maker = { tenantId: string; userId: string; name: string }
export type MadeAuthorities = { authorities: { caId: string; name: string }[]; problem: string }

export async function makeAuthorities(house: House, maker: Maker, draft: AuthorityDraft): Promise<MadeAuthorities> {
  const authorities: MadeAuthorities['authorities'] = []
  const subject = (name: string) => ({ CN: name, O: draft.organisation, C: draft.country })
  try {
    const root = await createAuthority(house, maker, {
      kind: 'root',
      friendlyName: draft.rootName,
      subject: subject(draft.rootName),
      keyAlgorithm: draft.algorithm,
    })
    authorities.push({ caId: root.caId, name: draft.rootName })
    const issuing = await createAuthority(house, maker, {
      kind: 'subordinate',
      issuerId: root.caId,
      friendlyName: draft.issuingName,
      subject: subject(draft.issuingName),
      keyAlgorithm: draft.algorithm,
    })
    authorities.push({ caId: issuing.caId, name: draft.issuingName })
    await house.work(maker.tenantId, maker, async ({ db, emitFor }) => {
      const templates = await createDefaultTemplates(db, { tenantId: maker.tenantId, caId: issuing.caId, now: house.now() })
      emitFor(setup)('templatesMade', { caId: issuing.caId, templates: Object.keys(templates) }, issuing.caId)
    })
    return { authorities, problem: '' }
  } catch (error) {
    house.log.error({ error }, 'an authority of the set-up wizard was not made')
    const missing = authorities.length === 0 ? draft.rootName : authorities.length === 1 ? draft.issuingName : 'the default templates'
    return { authorities, problem: `The installation stands, but ${missing} was not made. Make it from Authorities.` }
  }
}
