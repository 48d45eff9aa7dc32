import { Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { tickets } from '../contract.ts'

type Ticket = OutputOf<typeof tickets.calls.read>

/** What the ticket is about. Of a record that the viewer may not see its kind stands there alone. */
export function Links({ links }: { links: Ticket['links'] }) {
  if (links.length === 0) return null
  return (
    <Section title={t('About this')}>
      <Stack gap={4}>
        {links.map(({ kind, kindName, id, name, path, since }, at) => (
          <Text key={id ?? at} style={{ overflowWrap: 'anywhere' }}>
            {kind === 'page' ? t('Page') : t(kindName)}
            {path !== undefined && (
              <>
                {' '}
                <TextLink to={path}>{name}</TextLink>
              </>
            )}
            {since !== undefined && since.length > 0 && (
              <Text span size="sm" c="dimmed" display="block">
                {t('Since then:')}{' '}
                {since.map(({ at: when, what }, place) => (
                  <span key={`${when} ${what}`}>
                    {place > 0 && ', '}
                    {t(what)} (<DateTime at={when} />)
                  </span>
                ))}
              </Text>
            )}
          </Text>
        ))}
      </Stack>
    </Section>
  )
}
