// In the banner of a certificate on hold: who put it there, and what they noted.

import { Text } from '@mantine/core'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { revocation } from '../contract.ts'

export function HoldFacts({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const { data } = useCall(revocation.calls.status, { certId: certificateId })
  const held = data?.revocation
  if (held?.reason !== 'certificateHold') return null
  const { requester, decidedBy = requester, note } = held
  return (
    <>
      <Text inherit>{decidedBy === requester ? t('By {requester}.', { requester }) : t('By {requester}, with the approval of {decidedBy}.', { requester, decidedBy })}</Text>
      {note !== '' && (
        <Text inherit style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {t('Note')}: <WithDates text={note} />
        </Text>
      )}
    </>
  )
}
