// The selected rows of the inventory as a file. Ten thousand ids fit into no address, so they travel in the body.

import { IconColumns, IconDownload, IconTableExport } from '@tabler/icons-react'
import type { BulkAction } from '#core/console/kit/BulkBar.tsx'
import { goTo } from '#core/console/navigate.ts'
import { saveFile } from '#core/console/save-file.ts'
import { askForFile } from '#core/console/send-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { decodedFile } from './decoded-file.ts'

/** Two, ticked one by one. */
export const compareAction = (): BulkAction => ({
  label: t('Compare'),
  icon: IconColumns,
  exactly: 2,
  async run({ inclusionList: [a = '', b = ''] }) {
    goTo(to(certificates.screens.compare, {}, { a, b }))
    return undefined
  },
})

export const downloadAction = (): BulkAction => ({
  label: t('Download'),
  icon: IconDownload,
  async run(selection, { input: { page: _page, size: _size, sort: _sort, direction: _direction, ...query } }) {
    const file = await send(certificates.calls.downloadMany, { selection, query })
    saveFile(decodedFile(file), file.fileName)
    return undefined
  },
})

export const exportAction = (): BulkAction => ({
  label: t('Export as CSV'),
  icon: IconTableExport,
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
