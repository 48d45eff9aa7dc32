// In the banner of a certificate that is on hold or revoked: who did it, what they noted, and since when it is not to be trusted.

import { Text } from '@mantine/core'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { DateTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { revocation, type RevocationRow } from '../contract.ts'

export function HoldFacts({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const { data } = useCall(revocation.calls.status, { certId: certificateId })
  return data?.revocation?.reason === 'certificateHold' ? <WhoAndNote row={data.revocation} /> : null
}

export function RevokedFacts({ certificate: { certificateId, revocationReason } }: { certificate: ActionCertificate }) {
  const { data } = useCall(revocation.calls.status, { certId: certificateId })
  const row = data?.revocation
  // What was revoked with its authority, or elsewhere, has no record of its own.
  if (row?.state !== 'revoked' || row.reason !== revocationReason) return null
  return (
    <>
      {row.invalidityDate !== undefined && (
        <Text inherit>
          {t('Not to be trusted since')} <DateTime at={row.invalidityDate} />
        </Text>
      )}
      <WhoAndNote row={row} />
    </>
  )
}

function WhoAndNote({ row: { requester, decidedBy = requester, note } }: { row: RevocationRow }) {
  return (
    <>
      <Text inherit>
        {decidedBy === requester
          ? t('By {requester}.', { requester })
          : t('By {requester}, with the approval of {decidedBy}.', { requester, decidedBy })}
      </Text>
      {note !== '' && (
        <Text inherit style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {t('Note')}: <WithDates text={note} />
        </Text>
      )}
    </>
  )
}
