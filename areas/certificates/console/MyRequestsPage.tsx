import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { MyRequests } from './MyRequests.tsx'

MyRequestsPage.ask = MyRequests.ask

export function MyRequestsPage() {
  return (
    <Page title={t('My requests')} intro={t('What you asked for, and its status.')}>
      <MyRequests />
    </Page>
  )
}
