import type { House } from '#core/server/house.ts'
import { serve } from '#core/server/serve.ts'
import type { OwnStatus } from '#standards/verify/revocation.ts'
import { decoder } from '../contract.ts'
import { ownStatusOf } from './own-status.ts'
import { trustOf } from './trust.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

/** Times that authorities here are asked in one verification. */
const askedAtMost = 4

const workbenches = new WeakMap<House, Workbench>()

export default serve(
  decoder,
  {
    async decode({ text, rules, password }, { house, viewer, fault }) {
      const workbench = workbenches.get(house)
      if (workbench === undefined) return fault('unavailable')
      const outcome = await workbench.decode({ text, rules, password }, viewer.userId)
      if (typeof outcome === 'string') return fault(outcome)
      if ('unreadable' in outcome) return fault('undecodable', { fields: [{ field: 'text', says: outcome.unreadable }] })
      const { items, omitted } = outcome
      if (!items.some(({ decoded, fields }) => decoded || fields.length > 0))
        return fault('undecodable', {
          fields: items.map(({ fault: found }, at) => ({ field: 'text', says: whereSaid(found, items.length > 1 ? at + 1 : undefined) })),
        })
      return { items, omitted }
    },

    async verifyChain({ ownAuthorities, leaf, intermediates, roots, crls, ...question }, { house, now, viewer, transact, fault }) {
      const workbench = workbenches.get(house)
      if (workbench === undefined) return fault('unavailable')
      const own = ownAuthorities ? await transact(({ db }) => trustOf(db, viewer.tenantId, now)) : { roots: [], intermediates: [] }
      const texts = {
        ...question,
        leaf: [leaf],
        intermediates: [...[intermediates].flat(), ...own.intermediates],
        roots: [...[roots].flat(), ...own.roots],
        crls: [crls].flat(),
      }
      const ownStatuses = new Map<string, OwnStatus>()
      let outcome = await workbench.verify({ texts, now: now.toISOString(), ownStatuses }, viewer.userId)
      // What they say may lead to another path, on which stand others to ask about.
      for (let left = ownAuthorities ? askedAtMost : 0; left > 0 && typeof outcome !== 'string' && !('unusable' in outcome); left -= 1) {
        const report = outcome
        const more = await transact(({ db }) => ownStatusOf(db, viewer.tenantId, report, ownStatuses, now))
        if (more.size === 0) break
        for (const [fingerprint, status] of more) ownStatuses.set(fingerprint, status)
        outcome = await workbench.verify({ texts, now: now.toISOString(), ownStatuses }, viewer.userId)
      }
      if (typeof outcome === 'string') return fault(outcome)
      if ('unusable' in outcome) return fault('unreadable', { fields: outcome.unusable })
      return outcome
    },
  },
  {
    async start(house) {
      workbenches.set(house, openWorkbench())
    },
    async stop(house) {
      await workbenches.get(house)?.close()
    },
  },
)

/** What is wrong, and where: the item, the field, the byte. */
function whereSaid(found: { says: string; offset?: number; path?: string } | undefined, item: number | undefined): string {
  if (found === undefined) return 'This could not be read'
  const place = [item === undefined ? '' : `Item ${item}`, found.path ?? ''].filter((part) => part !== '').join(', ')
  return `${place === '' ? '' : `${place}: `}${found.says} (byte ${found.offset ?? 0})`
}
