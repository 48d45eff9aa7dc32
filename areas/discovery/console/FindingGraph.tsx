// Hosts, certificates and issuers in three columns, with a line for each "serves" and "issued by", and the same as a table.

import { ScrollArea, Stack, Text } from '@mantine/core'
import { IconRadar } from '@tabler/icons-react'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { discovery } from '../contract.ts'

type Answer = OutputOf<typeof discovery.calls.graph>

/** More would be a picture in which nobody sees anything; the table has the rest. */
const mostDrawn = 40
const [rowHeight, width] = [26, 1_000]
const columnAt = { host: 10, certificate: 330, issuer: 680 } as const
const cut = (text: string) => (text.length > 38 ? `${text.slice(0, 37)}…` : text)

export function FindingGraph() {
  const query = useCall(discovery.calls.graph, {})
  return (
    <Loaded query={query}>
      {(graph) =>
        graph.nodes.length === 0 ? (
          <EmptyState icon={IconRadar} title={t('Nothing here')} text={t('What a scan finds stands here as a graph.')} />
        ) : (
          <Stack gap="lg">
            <Picture graph={graph} />
            <Table graph={graph} />
          </Stack>
        )
      }
    </Loaded>
  )
}

function Picture({ graph: { nodes, edges, folded } }: { graph: Answer }) {
  const drawn = (['host', 'certificate', 'issuer'] as const).flatMap((kind) =>
    nodes
      .filter((node) => node.kind === kind)
      .slice(0, mostDrawn)
      .map((node, row) => ({ ...node, x: columnAt[kind], y: 20 + row * rowHeight })),
  )
  const places = new Map(drawn.map((node) => [node.id, node]))
  const height = Math.max(...drawn.map(({ y }) => y)) + rowHeight
  const hidden = nodes.length - drawn.length + folded
  return (
    <div>
      {/* Wider than a telephone, and moved by hand there: shrunk to it nobody reads the names. */}
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': t('Graph') }}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          style={{ width: '100%', minWidth: width }}
          role="img"
          aria-label={t('Hosts, their certificates and the issuers')}
        >
          {edges.map(({ from, to }) => {
            const [a, b] = [places.get(from), places.get(to)]
            if (a === undefined || b === undefined) return null
            return <line key={`${from} ${to}`} x1={a.x + 250} y1={a.y - 4} x2={b.x - 4} y2={b.y - 4} stroke="var(--chancery-line)" />
          })}
          {drawn.map(({ id, x, y, label, state }) => (
            <g key={id}>
              <circle cx={x} cy={y - 4} r={4} fill={`var(--chancery-${state})`} />
              <text x={x + 10} y={y} fontSize={12} fill="currentColor">
                {cut(label)}
              </text>
            </g>
          ))}
        </svg>
      </ScrollArea>
      {hidden > 0 && (
        <Text size="sm" c="dimmed">
          {t('{count, plural, one {# more is not drawn} other {# more are not drawn}}', { count: hidden })}
        </Text>
      )}
    </div>
  )
}

function Table({ graph: { nodes, edges } }: { graph: Answer }) {
  const names = new Map(nodes.map(({ id, label }) => [id, label]))
  const issuerOf = new Map(edges.filter(({ kind }) => kind === 'issuedBy').map(({ from, to }) => [from, names.get(to) ?? '']))
  return (
    <SmallTable
      label={t('Hosts, their certificates and the issuers')}
      rows={edges.filter(({ kind }) => kind === 'serves')}
      rowId={({ from, to }) => `${from} ${to}`}
      columns={[
        { label: t('Host'), cell: ({ from }) => names.get(from) ?? '' },
        { label: t('Certificate'), cell: ({ to }) => names.get(to) ?? '' },
        { label: t('Issuer'), cell: ({ to }) => issuerOf.get(to) ?? '' },
      ]}
    />
  )
}
