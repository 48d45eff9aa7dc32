import { ImportSteps } from '#core/console/kit/ImportSteps.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { organisations } from '../contract.ts'
import { importColumns } from '../import-columns.ts'

export function ImportOrganisations() {
  return (
    <Page title={t('Import organisations')} intro={t('From a CSV file with a column for the name. The own export comes back as it was.')}>
      <ImportSteps
        calls={organisations.calls}
        columns={importColumns}
        area="organisations"
        fileIntro={t(
          'At most 10 MB. The columns above, type, country, business number, address, contact, note and id are read where there are any.',
        )}
      />
    </Page>
  )
}
