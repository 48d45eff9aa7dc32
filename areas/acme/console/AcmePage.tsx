// The ACME server of the tenancy: its directories, who comes to them, what they ordered, and how to begin.

import { Suspense } from 'react'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import { acmeTabs } from '../acme-tabs.ts'
import { Accounts } from './Accounts.tsx'
import { Commands } from './Commands.tsx'
import { Directories } from './Directories.tsx'
import { Eabs } from './Eabs.tsx'
import { Orders } from './Orders.tsx'
import { TryName } from './TryName.tsx'

export function AcmePage() {
  return (
    <DetailPage
      title={t('ACME')}
      intro={t(
        'Machines get certificates by themselves. A directory is an address that ACME clients are given, with a template behind it.',
      )}
      tabs={[
        { key: 'directories', label: t('Directories'), content: () => <Directories /> },
        { key: 'accounts', label: t('Accounts'), content: () => <Accounts /> },
        { key: 'orders', label: t('Orders'), content: () => <Orders /> },
        { key: 'eab', label: t('EAB keys'), content: () => <Eabs /> },
        { key: 'commands', label: t('Command lines'), content: () => <Commands /> },
        { key: 'try', label: t('Try a name'), content: () => <TryName /> },
        ...acmeTabs().map(({ key, label, load: Tab }) => ({
          key,
          label: t(label),
          content: () => (
            <Suspense fallback={<LoadingState />}>
              <Tab />
            </Suspense>
          ),
        })),
      ]}
    />
  )
}
