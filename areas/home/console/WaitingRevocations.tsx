import { Text } from '@mantine/core'
import { to } from '#core/contract/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { home } from '../contract.ts'

/** Revocations that wait for a decision: a number that leads to them. */
export function WaitingRevocations() {
  const may = useMay()
  const query = useCall(home.calls.waiting, {}, { refetchMilliseconds: 60_000 })
  const count = query.data?.revocations ?? 0
  if (count === 0) return null
  const says = t('{count, plural, one {# revocation waits for a decision} other {# revocations wait for a decision}}', { count })
  return <Section title={t('Waiting revocations')}>{may('certRevokeView', 'View') ? <TextLink to={to(revocation.screens.searchPending, {}, { states: 'pending' })}>{says}</TextLink> : <Text>{says}</Text>}</Section>
}
