// The certificates of one person, and which of them sign in.

import { IconId } from '@tabler/icons-react'
import { EndDate } from '#core/console/kit/EndDate.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { mtls } from '../contract.ts'
import { refusals } from '../rules.ts'

export function SignInCertificates({ userId }: { userId: string }) {
  const query = useCall(mtls.calls.certificates, { userId })
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? (
          <EmptyState
            icon={IconId}
            title={t('No certificate to sign in with')}
            text={t('A certificate that is issued to the person stands here, with whether it signs in.')}
          />
        ) : (
          <SmallTable
            label={t('Certificates')}
            rows={rows}
            rowId={({ id }) => id}
            columns={[
              { label: t('Name'), cell: ({ name }) => name },
              {
                label: t('Sign-in'),
                aside: true,
                cell: ({ refusal }) => (
                  <Status
                    of={refusal === undefined ? 'active' : 'disabled'}
                    label={refusal === undefined ? t('Signs in') : t('Does not sign in')}
                  />
                ),
              },
              { label: t('Reason'), plain: true, cell: ({ refusal }) => (refusal === undefined ? '' : t(refusals[refusal])) },
              { label: t('Authority'), cell: ({ authority }) => authority },
              { label: t('Serial number'), cell: ({ serialNumber }) => <Mono value={serialNumber} /> },
              { label: t('Valid to'), cell: ({ validTo }) => <EndDate at={validTo} /> },
            ]}
          />
        )
      }
    </Loaded>
  )
}
