// A screen's frame: one h1 that takes the focus after navigation, the actions beside it, the document's title.

import { Group, Stack, Text, Title } from '@mantine/core'
import { useContext, useRef, type ReactNode } from 'react'
import { PagePartsContext } from './page-place.ts'
import { usePageTitle } from './page-title.ts'

export type PageProps = {
  title: string
  /** One of several pages of its screen, told apart by the query (`?rule=`): the screen itself is the way back. */
  inside?: boolean
  /** A word or two beside the title: a Status. */
  status?: ReactNode
  /** One sentence under the title. */
  intro?: ReactNode
  /** Buttons at the end of the title's line. */
  actions?: ReactNode
  /** Stands in place of the tabs of the entry: `ViewTabs`, which has them among its own. */
  views?: ReactNode
  /** Text and forms read better in a narrow column. */
  narrow?: boolean
  children: ReactNode
}

export function Page({ title, inside = false, status, intro, actions, views, narrow = false, children }: PageProps) {
  const parts = useContext(PagePartsContext)
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title, heading)
  return (
    <Stack gap="md" maw={narrow ? 760 : undefined}>
      {parts !== undefined && <parts.Trail title={title} inside={inside} />}
      <Group justify="space-between" align="flex-start" gap="sm">
        {/* A sentence gives way to the actions beside it; a short title leaves them room also on a telephone. */}
        <Stack gap={2} {...(intro === undefined ? {} : { flex: '1 1 320px' })} miw={0} maw="100%">
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
        {(actions !== undefined || parts !== undefined) && (
          <Group gap="xs" data-page-actions>
            {actions}
            {parts !== undefined && <parts.Buttons inside={inside} />}
          </Group>
        )}
      </Group>
      {views ?? (parts !== undefined && <parts.Tabs inside={inside} />)}
      {children}
    </Stack>
  )
}
