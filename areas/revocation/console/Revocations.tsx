import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { RevocationLists } from './RevocationLists.tsx'
import { askForRevocations, RevocationTable } from './RevocationTable.tsx'

const shown = { listKey: 'revocation.all', states: ['pending', 'revoked', 'released', 'denied', 'cancelled', 'failed'] } as const

Revocations.ask = (address: URLSearchParams) => askForRevocations(shown, address)

export function Revocations() {
  return (
    <Page title={t('Revocations')} intro={t('Every revocation, hold and release that somebody asked for, and what became of it.')}>
      <RevocationTable
        {...shown}
        label={t('Revocations')}
        empty={{
          title: t('Nothing has been revoked'),
          text: t('To revoke a certificate, open it and choose "Revoke certificate", or "Put on hold" for a while.'),
        }}
      />
      <RevocationLists />
    </Page>
  )
}
