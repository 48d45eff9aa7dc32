// The page of one enrolment protocol: its profiles, who may enrol, what was asked for, and how to begin.

import { useMay } from '#core/console/bootstrap.ts'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { t } from '#core/console/text.ts'
import { protocols, type Protocol } from '../rules.ts'
import { Commands } from './Commands.tsx'
import { Profiles } from './Profiles.tsx'
import { protocolWords } from './protocol-words.ts'
import { Secrets } from './Secrets.tsx'
import { Transactions } from './Transactions.tsx'

export function ProtocolPage({ protocol }: { protocol: Protocol }) {
  const may = useMay()
  return (
    <DetailPage
      title={protocol === 'windows' ? t('Windows enrolment') : protocols[protocol].label}
      intro={t(protocolWords[protocol].intro)}
      tabs={[
        { key: 'profiles', label: t('Profiles'), content: () => <Profiles protocol={protocol} /> },
        may('certScep') && { key: 'secrets', label: t('Secrets'), content: () => <Secrets protocol={protocol} /> },
        { key: 'transactions', label: t('Transactions'), content: () => <Transactions protocol={protocol} /> },
        { key: 'commands', label: t('Command lines'), content: () => <Commands protocol={protocol} /> },
      ]}
    />
  )
}
