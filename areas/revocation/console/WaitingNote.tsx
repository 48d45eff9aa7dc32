// On a certificate's page: what others have yet to decide about it. It stays as it is until then.

import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { ErrorState } from '#core/console/kit/states.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { textsFor } from './actions.ts'

export function WaitingNote({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const may = useMay()
  const query = useCall(revocation.calls.status, { certId: certificateId })
  if (query.data === undefined && query.error !== null) return <ErrorState fault={query.error} retry={() => void query.refetch()} />
  const asked = query.data?.revocation
  if (asked?.state !== 'pending') return null
  const screen = revocation.screens.viewPending
  return (
    <Alert color="blue" variant="light" icon={<IconHourglass size={18} aria-hidden />} title={textsFor(asked).waits()}>
      <Text inherit>
        {t('Asked for by {requester}. The certificate stays as it is until others agree.', { requester: asked.requester })}
      </Text>
      {asked.note !== '' && (
        <Text inherit style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {t('Note')}: <WithDates text={asked.note} />
        </Text>
      )}
      {may(screen.needs, 'View') && <TextLink to={to(screen, { certId: certificateId })}>{t('Show the request')}</TextLink>}
    </Alert>
  )
}

WaitingNote.ask = (certificateId: string) => askOnce(revocation.calls.status, { certId: certificateId })
