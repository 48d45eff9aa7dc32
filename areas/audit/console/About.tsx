import { Text } from '@mantine/core'
import { TextLink } from '#core/console/kit/links.tsx'
import { recordDetail } from '#core/console/kit/record-detail.ts'
import type { AuditEvent } from '../contract.ts'

/** What an event is about, as it is called now, with a link to its page; the beginning of its id where nobody knows a name. */
export function About({ event: { about, named } }: { event: Pick<AuditEvent, 'about' | 'named'> }) {
  if (named === undefined) return about === '' ? null : <ShortId value={about} />
  const { name, detail, path } = named
  return (
    <>
      {path === undefined ? name : <TextLink to={path}>{name}</TextLink>}
      {detail !== undefined && (
        <Text component="span" display="block" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {recordDetail({ detail })}
        </Text>
      )}
    </>
  )
}

/** The whole of it stands in the event. What is no id is a name. */
const ShortId = ({ value }: { value: string }) =>
  /^[0-9a-f-]{36}$/.test(value) ? <Text component="span" c="dimmed" size="sm" ff="monospace">{`${value.slice(0, 8)}…`}</Text> : value
