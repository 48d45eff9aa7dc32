// Where each authority stands on the map: those that sign above those that they signed, few lines crossing.

import { graphlib, layout } from '@dagrejs/dagre'
import type { Link } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'

export type Placed = { node: AuthorityNode; x: number; y: number }

export const cardWidth = 296
export const cardHeight = 96

/** The upper left corner of each card. */
export function placeAll(nodes: readonly AuthorityNode[], links: readonly Link[]): Placed[] {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 56 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width: cardWidth, height: cardHeight })
  for (const { from, to } of links) graph.setEdge(from, to)
  layout(graph)
  return nodes.map((node) => {
    const { x = 0, y = 0 } = graph.node(node.id)
    return { node, x: x - cardWidth / 2, y: y - cardHeight / 2 }
  })
}
