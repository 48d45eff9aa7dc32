// The drawn picture. Its places are computed (dagre), its panning and zooming are React Flow's. What fits the search stands out; the rest is dimmed.

import { Controls, Handle, Position, ReactFlow, useReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useMemo } from 'react'
import { t } from '#core/console/text.ts'
import type { Link } from '../rules.ts'
import { AuthorityCard, type AuthorityNode } from './AuthorityCard.tsx'
import { placeAll } from './map-layout.ts'
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

function drawnOf(nodes: readonly AuthorityNode[], links: readonly Link[], fits: ReadonlySet<string>): { nodes: CardNode[]; edges: Edge[] } {
  return {
    nodes: placeAll(nodes, links).map(({ node, x, y }) => ({ id: node.id, type: 'authority', position: { x, y }, data: { authority: node, dimmed: !fits.has(node.id) } })),
    edges: links.map(({ from, to }) => ({ id: `${from} ${to}`, source: from, target: to, focusable: false })),
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
