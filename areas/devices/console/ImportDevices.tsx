import { ImportSteps } from '#core/console/kit/ImportSteps.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { devices } from '../contract.ts'
import { importColumns } from '../import-columns.ts'

export function ImportDevices() {
  return (
    <Page title={t('Import devices')} intro={t('From a CSV file with a column for the name. The own export comes back as it was.')}>
      <ImportSteps
        calls={devices.calls}
        columns={importColumns}
        area="devices"
        fileIntro={t(
          'At most 10 MB and 100,000 rows. Device type, status, host name, serial number, MAC address, UUID, IMEI, asset number, owner, organisation, note and id are read where there are any.',
        )}
      />
    </Page>
  )
}
