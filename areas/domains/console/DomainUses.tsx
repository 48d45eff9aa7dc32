// What uses a domain, loaded after the list, because counting may take longer than the list itself.

import { Group, Text } from '@mantine/core'
import { TextLink } from '#core/console/kit/links.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { domains } from '../contract.ts'

export function DomainUses({ name }: { name: string }) {
  const { data, isError } = useCall(domains.calls.use, {})
  if (isError) return <Text inherit>{t('Could not be read')}</Text>
  if (data === undefined) return <Text inherit>{t('Loading…')}</Text>
  const uses = data.domains[name] ?? []
  if (uses.length === 0) return <Text inherit>{t('Not used')}</Text>
  return (
    <Group gap="sm">
      {uses.map(({ kind, count, path }) => (
        <TextLink key={kind} to={path} inherit>
          {t('{kind}: {count, number}', { kind: t(kind), count })}
        </TextLink>
      ))}
    </Group>
  )
}
