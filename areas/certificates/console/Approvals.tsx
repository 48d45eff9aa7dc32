import { useSearchParams } from 'react-router'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { ApprovalList, askForApprovals } from './ApprovalList.tsx'

const asksForAll = (address: URLSearchParams): boolean => address.get('tab') === 'all'

Approvals.ask = (address: URLSearchParams) => askForApprovals(!asksForAll(address), address)

export function Approvals() {
  const [address] = useSearchParams()
  const all = asksForAll(address)
  return (
    <Page title={t('Approvals')} intro={t('Requests that need others to agree. Nobody decides their own.')}>
      <ApprovalList key={String(all)} waitingForMe={!all} />
    </Page>
  )
}
