import { t } from '#core/console/text.ts'
import { RequestPage } from './RequestPage.tsx'

export function UploadForUser() {
  return <RequestPage title={t('Request for a user')} intro={t('A certificate that carries the names in the record of a person.')} entity="user" call="requestForUser" />
}
