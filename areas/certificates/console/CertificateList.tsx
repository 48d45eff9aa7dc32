// The inventory: every certificate of the tenancy, found by any of its names, its serial or its fingerprint.

import { IconCertificate2 } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { bulkActionsOf } from '#areas/bulk/bulk-actions.tsx'
import { certificateClasses } from '#areas/templates/rules.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { ShortNumber } from '#core/console/kit/ShortNumber.tsx'
import { statusKinds } from '#core/console/kit/status-kinds.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import { certificateStatuses, expiryWindows, expiryWindowLabels, type ExpiryWindow } from '../rules.ts'
import { ListedState } from './CertificateState.tsx'
import { exportAction } from './export-chosen.ts'
import { spanFilters } from './span-filters.ts'

const question = {
  key: 'certificates.inventory',
  filters: { status: { many: true }, expires: {}, templateId: { many: true }, caId: { many: true }, ends: {}, issued: {}, revoked: {} },
  sort: 'issuedAt',
  direction: 'desc',
  size: searchPageSize,
} as const

export function CertificateList() {
  const [address] = useSearchParams()
  const choices = useCall(certificates.calls.choices, {})
  const list = useList(certificates.calls.search, {
    ...question,
    ahead: question,
    aloneInAddress: true,
    filters: {
      status: {
        ...question.filters.status,
        label: t('Status'),
        options: certificateStatuses.map((value) => ({ value, label: t(statusKinds[value].word) })),
      },
      expires: {
        label: t('Expires'),
        options: (Object.keys(expiryWindows) as ExpiryWindow[]).map((value) => ({ value, label: t(expiryWindowLabels[value]) })),
      },
      templateId: { ...question.filters.templateId, label: t('Template'), options: choices.data?.templates ?? [] },
      caId: { ...question.filters.caId, label: t('Authority'), options: choices.data?.authorities ?? [] },
      ...spanFilters(address),
    },
  })
  const total = list.answer?.total ?? 0
  return (
    <Page
      title={t('Certificates')}
      actions={<LinkButton to={to(certificates.screens.add, { entity: 'device' })}>{t('Request certificate')}</LinkButton>}
    >
      <DataTable
        list={list}
        label={t('Certificates')}
        search={t('Name, serial, e-mail, fingerprint')}
        exportable={false}
        tools={
          total > 0 && (
            <DownloadButton
              size="compact-sm"
              variant="subtle"
              label={t('Export {count, plural, one {# row} other {# rows}} as CSV', { count: total })}
              fileName="certificates.csv"
              from={to(certificates.endpoints.exportCertificates, {}, { text: list.state.text, ...list.state.filters })}
            />
          )
        }
        rowId={(row) => row.certificateId}
        bulk={[...bulkActionsOf(list.key), exportAction()]}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), sort: true, link: (row) => certificatePath(row.certificateId), cell: (row) => row.name },
          { key: 'status', label: t('Status'), aside: true, cell: (row) => <ListedState certificate={row} linked /> },
          { key: 'notAfter', label: t('Expires'), sort: true, cell: (row) => <DateTime at={row.notAfter} dateOnly />, phone: 'named' },
          { key: 'issuedAt', label: t('Issued'), sort: true, cell: (row) => <DateTime at={row.issuedAt} dateOnly />, phone: 'named' },
          {
            key: 'serialNumber',
            label: t('Serial number'),
            sort: true,
            cell: (row) => <ShortNumber value={row.serialNumber} label={t('Serial number')} />,
          },
          { key: 'templateName', label: t('Template'), cell: (row) => row.templateName },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName, phone: false },
          { key: 'holder', label: t('Holder'), cell: (row) => row.holder, hidden: true },
          { key: 'sans', label: t('Alternative names'), cell: (row) => row.sans.join(', '), hidden: true },
          { key: 'email', label: t('E-mail address'), cell: (row) => row.email, hidden: true },
          { key: 'class', label: t('Class'), cell: (row) => t(certificateClasses[row.class].label), hidden: true },
        ]}
        empty={{
          icon: IconCertificate2,
          title: t('No certificates yet'),
          text: t('Every certificate that is issued here appears in this list.'),
          action: <LinkButton to={to(certificates.screens.add, { entity: 'device' })}>{t('Request certificate')}</LinkButton>,
        }}
      />
    </Page>
  )
}

CertificateList.ask = (address: URLSearchParams) => askForList(certificates.calls.search, question, address)
