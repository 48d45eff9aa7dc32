import { Text } from '@mantine/core'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import type { AuditEvent } from '../contract.ts'

/** What an event is about, as it is called now, with a link to its page; the bare id where nobody knows a name. */
export function About({ event: { about, named } }: { event: Pick<AuditEvent, 'about' | 'named'> }) {
  if (named === undefined) return about === '' ? null : <Mono value={about} />
  const { name, detail, path } = named
  return (
    <>
      {path === undefined ? name : <TextLink to={path}>{name}</TextLink>}
      {detail !== undefined && (
        <Text component="span" display="block" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
      )}
    </>
  )
}
