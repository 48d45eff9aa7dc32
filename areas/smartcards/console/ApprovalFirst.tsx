import { Alert } from '@mantine/core'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'

/** Said before anything is begun, because the card is not ready then. */
export function ApprovalFirst({ cardTemplateId = '', userId = '' }: { cardTemplateId: string | undefined; userId: string | undefined }) {
  const enabled = cardTemplateId !== '' && userId !== ''
  const { waiting = [] } = useCall(smartcards.calls.beforeIssue, { cardTemplateId, userId }, { enabled }).data ?? {}
  if (waiting.length === 0) return null
  return (
    <Alert color="blue" title={t('Approval comes first')}>
      {t(
        'Somebody else must agree to the certificates for {slots}. The keys are made now; you go on here when it is granted, and give the PIN again.',
        { slots: waiting.map(({ slot }) => slot).join(', ') },
      )}
    </Alert>
  )
}
