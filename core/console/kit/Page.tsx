// A screen's frame: one h1 that takes the focus after navigation, the actions beside it, the document's title.

import { Group, Stack, Text, Title } from '@mantine/core'
import { useRef, type ReactNode } from 'react'
import { t } from '../text.ts'
import { TextLink } from './links.tsx'
import { usePageTitle } from './page-title.ts'

export type PageProps = {
  title: string
  /** The list that it stands in, where the title is one of many: the way back above the title. */
  parent?: { label: string; to: string }
  /** A word or two beside the title: a Status. */
  status?: ReactNode
  /** One sentence under the title. */
  intro?: ReactNode
  /** Buttons at the end of the title's line. */
  actions?: ReactNode
  /** Text and forms read better in a narrow column. */
  narrow?: boolean
  children: ReactNode
}

export function Page({ title, parent, status, intro, actions, narrow = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title, heading)
  return (
    <Stack gap="md" maw={narrow ? 760 : undefined}>
      {parent !== undefined && <Trail parent={parent} title={title} />}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} maw="100%">
          <Group gap="sm" align="center">
            {/* A name without a space, such as a host's, breaks where it must. */}
            <Title order={1} tabIndex={-1} ref={heading} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {status}
          </Group>
          {intro !== undefined && (
            <Text c="dimmed" maw={720} style={{ overflowWrap: 'anywhere' }}>
              {intro}
            </Text>
          )}
        </Stack>
        {actions !== undefined && (
          <Group gap="xs" data-page-actions>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  )
}

function Trail({ parent, title }: { parent: { label: string; to: string }; title: string }) {
  return (
    <Group component="nav" aria-label={t('Breadcrumb')} gap={6} mb={-8} fz="sm" style={{ overflowWrap: 'anywhere' }}>
      <TextLink to={parent.to}>{parent.label}</TextLink>
      <Text size="sm" c="dimmed" aria-hidden>
        ›
      </Text>
      <Text size="sm" c="dimmed" aria-current="page">
        {title}
      </Text>
    </Group>
  )
}
