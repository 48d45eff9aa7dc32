// The drawn picture. Its places are computed (dagre), its panning and zooming are React Flow's. What fits the search stands out; the rest is dimmed.

import { Controls, Handle, Position, ReactFlow, useReactFlow, type Edge, type EdgeProps, type Node, type NodeProps } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useMemo } from 'react'
import { t } from '#core/console/text.ts'
import type { Link } from '../rules.ts'
import { AuthorityCard, type AuthorityNode } from './AuthorityCard.tsx'
import { lineStyles } from './line-styles.ts'
import { linesBetween, placeAll, type Line } from './map-layout.ts'
import classes from './visualiser.module.css'

type CardNode = Node<{ authority: AuthorityNode; dimmed: boolean }, 'authority'>

function AuthorityOnMap({ data }: NodeProps<CardNode>) {
  return (
    <div className={classes['onMap']} data-dimmed={data.dimmed || undefined}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <AuthorityCard node={data.authority} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}
const nodeTypes = { authority: AuthorityOnMap }

type LineEdge = Edge<{ line: Line }, 'line'>

/** The cards do not move, so that each line is where the layout put it. */
function LineOnMap({ data }: EdgeProps<LineEdge>) {
  if (data === undefined) return null
  const { link, path, head } = data.line
  return (
    <g className={classes['line']} data-kind={link.kind}>
      <path d={path} strokeDasharray={lineStyles[link.kind].dashes} />
      {head !== undefined && <path d={head} data-head />}
    </g>
  )
}
const edgeTypes = { line: LineOnMap }

function drawnOf(
  nodes: readonly AuthorityNode[],
  links: readonly Link[],
  fits: ReadonlySet<string>,
): { nodes: CardNode[]; edges: LineEdge[] } {
  const placed = placeAll(nodes, links)
  return {
    nodes: placed.map(({ node, x, y }) => ({
      id: node.id,
      type: 'authority',
      position: { x, y },
      data: { authority: node, dimmed: !fits.has(node.id) },
    })),
    edges: linesBetween(placed, links).map((line) => ({
      id: `${line.link.from} ${line.link.to} ${line.link.kind}`,
      type: 'line',
      source: line.link.from,
      target: line.link.to,
      focusable: false,
      data: { line },
    })),
  }
}

/** Brings what was searched for into view. */
function Follow({ ids }: { ids: readonly string[] }) {
  const { fitView } = useReactFlow()
  const wanted = ids.join(' ')
  useEffect(() => {
    void fitView({ nodes: wanted.split(' ').map((id) => ({ id })), padding: 0.2, maxZoom: 1 })
  }, [fitView, wanted])
  return null
}

export type AuthorityGraphProps = { nodes: readonly AuthorityNode[]; links: readonly Link[]; fits: ReadonlySet<string> }

export function AuthorityGraph({ nodes, links, fits }: AuthorityGraphProps) {
  const drawn = useMemo(() => drawnOf(nodes, links, fits), [nodes, links, fits])
  return (
    <section className={classes['map']} aria-label={t('Map of the authorities')}>
      <ReactFlow
        nodes={drawn.nodes}
        edges={drawn.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        fitView
        fitViewOptions={{ padding: 0.1, maxZoom: 1 }}
        minZoom={0.1}
        maxZoom={2}
        proOptions={{ hideAttribution: false }}
      >
        <Controls showInteractive={false} aria-label={t('Zoom')} />
        <Follow ids={fits.size === 0 ? nodes.map(({ id }) => id) : [...fits]} />
      </ReactFlow>
    </section>
  )
}
