// The selected rows of the inventory as a file. Ten thousand ids fit into no address, so they travel in the body.

import { IconDownload } from '@tabler/icons-react'
import type { BulkAction } from '#core/console/kit/BulkBar.tsx'
import { saveFile } from '#core/console/save-file.ts'
import { askForFile } from '#core/console/send-file.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'

export const exportAction = (): BulkAction => ({
  label: t('Export as CSV'),
  icon: IconDownload,
  async run(selection, { input }) {
    saveFile(
      await askForFile(to(certificates.endpoints.exportChosenCertificates), {
        body: { selection, query: input },
        failed: t('The certificates could not be exported'),
      }),
      'certificates.csv',
    )
    return undefined
  },
})
