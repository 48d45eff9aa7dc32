import { Group, Text } from '@mantine/core'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { approvalPath } from '../paths.ts'

/** After a decision: the way to the next request that waits for this person. */
export function NextRequest({ after }: { after: string }) {
  const { data } = useCall(certificates.calls.searchApprovals, { waitingForMe: true, size: 10 })
  if (data === undefined) return null
  const next = data.rows.find(({ requestId }) => requestId !== after)
  return (
    <Group gap="xs">
      {next === undefined ? (
        <>
          <Text c="dimmed">{t('Nothing else waits for you.')}</Text>
          <LinkButton variant="default" to={to(certificates.screens.approvals)}>
            {t('Back to approvals')}
          </LinkButton>
        </>
      ) : (
        <>
          <LinkButton to={approvalPath(next.requestId)}>{t('Next request')}</LinkButton>
          <Text c="dimmed">{t('{count, plural, one {One waits} other {# wait}} for you', { count: data.total })}</Text>
        </>
      )}
    </Group>
  )
}
