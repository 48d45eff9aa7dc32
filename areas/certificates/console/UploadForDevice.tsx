import { t } from '#core/console/text.ts'
import { RequestPage } from './RequestPage.tsx'

export function UploadForDevice() {
  return <RequestPage title={t('Request for a device')} intro={t('For a server, a service or a machine.')} entity="device" call="requestForDevice" />
}
