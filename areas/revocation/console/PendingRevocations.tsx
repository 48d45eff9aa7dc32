import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { askForRevocations, RevocationTable } from './RevocationTable.tsx'

const shown = { listKey: 'revocation.pending', states: ['pending', 'failed'], only: true } as const

PendingRevocations.ask = (address: URLSearchParams) => askForRevocations(shown, address)

export function PendingRevocations() {
  return (
    <Page
      title={t('Pending and failed revocations')}
      intro={t('Revocations, holds and releases from hold that wait for a decision, and what could not be done.')}
    >
      <RevocationTable
        {...shown}
        label={t('Pending and failed revocations')}
        empty={{ title: t('Nothing waits'), text: t('No revocation, hold or release waits for a decision, and none has failed.') }}
      />
    </Page>
  )
}
