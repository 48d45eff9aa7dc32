// Finds events by what they are called. The labels are the contracts' own, in English.

import type { AnyContract } from '#core/contract/contract.ts'
import { logLabels } from '#core/contract/log-labels.ts'

type Labelled = { event: string; terms: readonly string[] }

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
const splitAt = /[^\p{L}\p{N}]+/u
const prepared = new WeakMap<readonly AnyContract[], readonly Labelled[]>()

/**
 * Returns the events, as `area.name`, where each typed word begins a word of the label, in whatever order: “Certificate issued” finds “Issued a certificate”.
 * Technical names count as words of the label, because programs show them.
 */
export function eventsLabelled(contracts: readonly AnyContract[], typed: string): string[] {
  const typedTerms = folded(typed)
    .split(splitAt)
    .filter((term) => term !== '')
  // One letter begins a word of most.
  if (typedTerms.every((term) => term.length < 2)) return []
  return labelled(contracts)
    .filter(({ terms }) => typedTerms.every((begin) => terms.some((term) => term.startsWith(begin))))
    .map(({ event }) => event)
}

function labelled(contracts: readonly AnyContract[]): readonly Labelled[] {
  const known = prepared.get(contracts)
  if (known !== undefined) return known
  const fresh = Object.entries(logLabels(contracts).names).flatMap(([area, labels]) =>
    Object.entries(labels).map(([name, label]) => ({
      event: `${area}.${name}`,
      terms: [...folded(label).split(splitAt), folded(area), folded(name)],
    })),
  )
  prepared.set(contracts, fresh)
  return fresh
}
