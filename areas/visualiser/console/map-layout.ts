// Where each authority stands on the map, and how the lines between them run: those that sign above those that they signed, few lines crossing.

import { graphlib, layout } from '@dagrejs/dagre'
import type { Link } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'

export type Placed = { node: AuthorityNode; x: number; y: number }

export const cardWidth = 296
export const cardHeight = 96

/** The upper left corner of each card. Who was certified besides, or comes after another, stands where its own issuer puts it. */
export function placeAll(nodes: readonly AuthorityNode[], links: readonly Link[]): Placed[] {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 56 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width: cardWidth, height: cardHeight })
  for (const { from, to, kind } of links) if (kind === 'signed') graph.setEdge(from, to)
  layout(graph)
  return nodes.map((node) => {
    const { x = 0, y = 0 } = graph.node(node.id)
    return { node, x: x - cardWidth / 2, y: y - cardHeight / 2 }
  })
}

/** A line as SVG draws it; `head` is the arrow at its end. */
export type Line = { link: Link; path: string; head: string | undefined }

export function linesBetween(placed: readonly Placed[], links: readonly Link[]): Line[] {
  const byId = new Map(placed.map((one) => [one.node.id, one]))
  return links.flatMap((link) => {
    const [from, to] = [byId.get(link.from), byId.get(link.to)]
    if (from === undefined || to === undefined || from === to) return []
    return [
      link.kind === 'signed'
        ? { link, path: below(from, to), head: undefined }
        : { link, ...across(from, to, link.kind === 'cross' ? 1 : -1) },
    ]
  })
}

/** From the middle of one's lower edge to the middle of the other's upper one. */
const below = (from: Placed, to: Placed): string => curve(from.x + cardWidth / 2, from.y + cardHeight, to.x + cardWidth / 2, to.y)

/**
 * Beside the lines of signatures, so that neither hides the other: between neighbours of one row as a bow over their upper edges. `side` keeps
 * cross-certificates and successors of the same two apart.
 */
function across(from: Placed, to: Placed, side: 1 | -1): { path: string; head: string } {
  const shift = (cardWidth / 4) * side
  if (Math.abs(from.y - to.y) < cardHeight) {
    const towards = to.x > from.x ? 1 : -1
    const lean = cardWidth / (side === 1 ? 4 : 8)
    const [x1, x2] = [from.x + cardWidth / 2 + towards * lean, to.x + cardWidth / 2 - towards * lean]
    const top = Math.min(from.y, to.y) - (side === 1 ? 48 : 32)
    return { path: `M${x1} ${from.y} C${x1} ${top} ${x2} ${top} ${x2} ${to.y}`, head: arrow(x2, to.y, 1) }
  }
  const [x1, x2] = [from.x + cardWidth / 2 + shift, to.x + cardWidth / 2 + shift]
  if (to.y > from.y) return { path: curve(x1, from.y + cardHeight, x2, to.y), head: arrow(x2, to.y, 1) }
  return { path: curve(x1, from.y, x2, to.y + cardHeight), head: arrow(x2, to.y + cardHeight, -1) }
}

const curve = (x1: number, y1: number, x2: number, y2: number): string =>
  `M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`

/** With its point there, downwards or upwards. */
const arrow = (x: number, y: number, down: 1 | -1): string => `M${x - 5} ${y - 9 * down} L${x + 5} ${y - 9 * down} L${x} ${y} Z`
