// The picture and the tree of the same authorities. The choice and the search stand in the address; a telephone gets the tree.

import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { IconHierarchy, IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { visualiser } from '../contract.ts'
import { treeOf, type Branch } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'
import { AuthorityTree } from './AuthorityTree.tsx'
import { MapLegend } from './MapLegend.tsx'

const AuthorityGraph = lazy(async () => ({ default: (await import('./AuthorityGraph.island.tsx')).AuthorityGraph }))

type Graph = OutputOf<typeof visualiser.calls.graph>

export function PkiVisualiser() {
  const query = useCall(visualiser.calls.graph, {})
  return (
    <Page title={t('PKI visualiser')} intro={t('Who signed whom, who vouches for whom besides, and what each has issued.')}>
      <Loaded query={query}>
        {(graph) =>
          graph.nodes.length === 0 ? (
            <EmptyState
              icon={IconHierarchy}
              title={t('No authorities yet')}
              text={t('Create a root or register one that you have. It appears here with everything below it.')}
              action={<LinkButton to={to(authorities.screens.manage, { id: 'new' })}>{t('New authority')}</LinkButton>}
            />
          ) : (
            <Pictures graph={graph} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Pictures({ graph: { nodes, links } }: { graph: Graph }) {
  const [address, setAddress] = useSearchParams()
  const isNarrow = useMediaQuery('(max-width: 700px)', false, { getInitialValueInEffect: false })
  const view = isNarrow || address.get('view') === 'tree' ? 'tree' : 'map'
  const text = address.get('text') ?? ''
  const [wanted] = useDebouncedValue(text.trim().toLowerCase(), 200)
  const fits = useMemo(
    () => new Set(nodes.filter(({ label, subject }) => `${label} ${subject}`.toLowerCase().includes(wanted)).map(({ id }) => id)),
    [nodes, wanted],
  )
  const branches = useMemo(() => leadingTo(treeOf(nodes, links), fits), [nodes, links, fits])
  const names = useMemo(() => new Map(nodes.map(({ id, label }) => [id, label])), [nodes])
  const change = (name: string, value: string) =>
    setAddress(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <>
      <Group justify="space-between">
        <TextInput
          type="search"
          flex="1 1 240px"
          maw={{ base: '100%', xs: 320 }}
          aria-label={t('Search the authorities')}
          placeholder={t('Name or subject')}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
          value={text}
          onChange={(event) => change('text', event.currentTarget.value)}
        />
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {t('{count, plural, one {# authority} other {# authorities}}', { count: fits.size })}
          </Text>
          {!isNarrow && (
            <Button.Group aria-label={t('How to show them')}>
              {(['map', 'tree'] as const).map((one) => (
                <Button
                  key={one}
                  variant="default"
                  aria-pressed={view === one}
                  {...(view === one ? { bg: 'var(--chancery-picked)' } : {})}
                  onClick={() => change('view', one === 'tree' ? 'tree' : '')}
                >
                  {one === 'map' ? t('Map') : t('Tree')}
                </Button>
              ))}
            </Button.Group>
          )}
          <DownloadButton label={t('Download picture')} fileName="authorities.svg" from={() => pictureOf(nodes, links)} />
        </Group>
      </Group>
      {fits.size === 0 && (
        <EmptyState
          title={t('Nothing matches “{text}”', { text: wanted })}
          text={t('Check the spelling, or search for the beginning of a word.')}
        />
      )}
      {fits.size > 0 && view === 'tree' && <AuthorityTree branches={branches} links={links} names={names} label={t('Authorities')} />}
      {fits.size > 0 && view === 'map' && (
        <>
          <MapLegend links={links} />
          <Suspense fallback={<Skeleton height={420} />}>
            <AuthorityGraph nodes={nodes} links={links} fits={fits} />
          </Suspense>
        </>
      )}
    </>
  )
}

/** Only what fits, and the way there. */
const leadingTo = (branches: readonly Branch<AuthorityNode>[], fits: ReadonlySet<string>): Branch<AuthorityNode>[] =>
  branches.flatMap(({ node, below }) => {
    const visible = leadingTo(below, fits)
    return visible.length > 0 || fits.has(node.id) ? [{ node, below: visible }] : []
  })

async function pictureOf(nodes: Graph['nodes'], links: Graph['links']): Promise<Blob> {
  const { mapPicture } = await import('./map-picture.ts')
  return new Blob([mapPicture(nodes, links)], { type: 'image/svg+xml' })
}
