// One's own certificates: what each is good for still, and what can be done about it.

import { IconCertificate2, IconDownload } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable, type RowAction } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { EndDate } from '#core/console/kit/EndDate.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { ShortNumber } from '#core/console/kit/ShortNumber.tsx'
import { statusKinds } from '#core/console/kit/status-kinds.ts'
import { saveFile } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { certificateLinks } from '../certificate-actions.ts'
import { certificates } from '../contract.ts'
import { certificatePath, myRequestPath } from '../paths.ts'
import { certificateStatuses } from '../rules.ts'
import { ListedState } from './CertificateState.tsx'
import { decodedFile } from './decoded-file.ts'
import { InventoryTabs } from './InventoryTabs.tsx'

type Own = RowOf<typeof certificates.calls.own>

const question = { key: 'certificates.own', filters: { status: { many: true } }, sort: 'issuedAt', direction: 'desc' } as const

export function MyCertificates() {
  const sees = useMay()('certView', 'View')
  const list = useList(certificates.calls.own, {
    ...question,
    ahead: question,
    aloneInAddress: true,
    filters: {
      status: {
        ...question.filters.status,
        label: t('Status'),
        options: certificateStatuses.map((value) => ({ value, label: t(statusKinds[value].word) })),
      },
    },
  })
  // Who sees no certificates finds their own with what was asked for.
  const pathOf = ({ certificateId, entity, requestId }: Own) =>
    sees ? certificatePath(certificateId) : requestId === undefined ? undefined : myRequestPath(entity, requestId)
  const actions = (row: Own): (RowAction | false)[] => [
    { label: t('Download certificate'), icon: IconDownload, onClick: () => void download(row) },
    ...certificateLinks().flatMap(({ label, danger = false, to: pathTo }): RowAction[] => {
      const path = pathTo({
        certificateId: row.certificateId,
        caId: row.caId,
        serialNumber: row.serialNumber,
        status: row.status,
        renewed: row.renewed,
      })
      return path === undefined ? [] : [{ label: label(), danger, to: path }]
    }),
  ]
  return (
    <Page title={t('My certificates')} intro={t('Those that you hold, and those of devices that you asked for.')} views={<InventoryTabs />}>
      <DataTable
        list={list}
        label={t('My certificates')}
        search={t('Name, template or serial number')}
        rowId={(row) => row.certificateId}
        rowName={(row) => row.name}
        rowActions={actions}
        columns={[
          { key: 'name', label: t('Name'), sort: true, link: pathOf, cell: (row) => row.name },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <ListedState certificate={row} linked={sees} />,
            csv: (row) => row.status,
          },
          {
            key: 'notAfter',
            label: t('Expires'),
            sort: true,
            cell: (row) => <EndDate at={row.notAfter} settled={row.status === 'revoked' || row.renewed || row.replaced} />,
            csv: (row) => row.notAfter,
            phone: 'named',
          },
          {
            key: 'issuedAt',
            label: t('Issued'),
            sort: true,
            cell: (row) => <DateTime at={row.issuedAt} dateOnly />,
            csv: (row) => row.issuedAt,
            phone: 'named',
          },
          {
            key: 'serialNumber',
            label: t('Serial number'),
            cell: (row) => <ShortNumber value={row.serialNumber} label={t('Serial number')} />,
            csv: (row) => row.serialNumber,
          },
          { key: 'templateName', label: t('Template'), cell: (row) => row.templateName },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName, hidden: true },
        ]}
        empty={{
          icon: IconCertificate2,
          title: t('You have no certificate yet'),
          text: t('Ask for one: it appears here as soon as it is issued. What you have asked for is under My requests.'),
          action: <LinkButton to={to(certificates.screens.add, { entity: 'user' })}>{t('Request a certificate')}</LinkButton>,
        }}
      />
    </Page>
  )
}

MyCertificates.ask = (address: URLSearchParams) => askForList(certificates.calls.own, question, address)

async function download({ certificateId }: Own): Promise<void> {
  await send(certificates.calls.download, { certId: certificateId, format: 'pem' }).then(
    (file) => saveFile(decodedFile(file), file.fileName),
    (error: unknown) => toastFault(error, t('The certificate could not be downloaded')),
  )
}
