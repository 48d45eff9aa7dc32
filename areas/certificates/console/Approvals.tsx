import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { t } from '#core/console/text.ts'
import { ApprovalList, askForApprovals } from './ApprovalList.tsx'

Approvals.ask = (address: URLSearchParams) => askForApprovals(address.get('tab') !== 'all', address)

export function Approvals() {
  return (
    <DetailPage
      title={t('Approvals')}
      intro={t('Requests that need others to agree. Nobody decides their own.')}
      tabs={[
        { key: 'waiting', label: t('Waiting for me'), content: () => <ApprovalList waitingForMe /> },
        { key: 'all', label: t('All'), content: () => <ApprovalList waitingForMe={false} /> },
      ]}
    />
  )
}
