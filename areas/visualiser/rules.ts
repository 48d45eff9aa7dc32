// What is counted of each authority, and the tree out of the graph's links.

export const countedStatuses = ['active', 'expiring', 'expired', 'onHold', 'revoked'] as const

export const countTexts = {
  active: '{count, plural, one {# active} other {# active}}',
  expiring: '{count, plural, one {# expiring} other {# expiring}}',
  expired: '{count, plural, one {# expired} other {# expired}}',
  onHold: '{count, plural, one {# on hold} other {# on hold}}',
  revoked: '{count, plural, one {# revoked} other {# revoked}}',
} as const

/** signed: the upper gave the lower its certificate. cross: it gave it one besides. successor: the second comes after the first. */
export const linkKinds = ['signed', 'cross', 'successor'] as const
export type LinkKind = (typeof linkKinds)[number]

/** `until`: when a cross-certificate ends. */
export type Link = { from: string; to: string; kind: LinkKind; until?: string | undefined }
export type Branch<N> = { node: N; below: Branch<N>[] }

/**
 * Each node once, below the first that signed it; those that nobody here signed are the roots. Cross-certificates and successors give nobody a place; a
 * circle of signatures ends where it began.
 */
export function treeOf<N extends { id: string; label: string }>(nodes: readonly N[], links: readonly Link[]): Branch<N>[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const signed = Map.groupBy(
    links.filter(({ from, to, kind }) => kind === 'signed' && from !== to && byId.has(from) && byId.has(to)),
    ({ from }) => from,
  )
  const hasParent = new Set([...signed.values()].flat().map(({ to }) => to))
  const placed = new Set<string>()
  const byLabel = (some: readonly N[]) => some.toSorted((a, b) => a.label.localeCompare(b.label, 'en'))
  const grow = (node: N): Branch<N> => {
    placed.add(node.id)
    const below: Branch<N>[] = []
    for (const child of byLabel((signed.get(node.id) ?? []).flatMap(({ to }) => byId.get(to) ?? [])))
      if (!placed.has(child.id)) below.push(grow(child))
    return { node, below }
  }
  const roots = byLabel(nodes.filter(({ id }) => !hasParent.has(id))).map(grow)
  const circles: Branch<N>[] = []
  for (const node of byLabel(nodes)) if (!placed.has(node.id)) circles.push(grow(node))
  return [...roots, ...circles]
}
