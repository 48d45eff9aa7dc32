// The inventory: every certificate of the tenancy, found by any of its names, its serial or its fingerprint.

import { IconCertificate2 } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { bulkActionsOf } from '#areas/bulk/bulk-actions.tsx'
import { certificateClasses } from '#areas/templates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { EndDate } from '#core/console/kit/EndDate.tsx'
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
import {
  certificateStatuses,
  expiryWindows,
  expiryWindowLabels,
  recentDays,
  recentLabels,
  type ExpiryWindow,
  type Recent,
} from '../rules.ts'
import { keyLabel, keyNames, lintLabels, lintResults, sourceLabels, sources, usageLabelOf, usageNames } from '../traits.ts'
import { ApprovalList } from './ApprovalList.tsx'
import { ListedState } from './CertificateState.tsx'
import { compareAction, downloadAction, exportAction } from './export-chosen.ts'
import { InventoryTabs } from './InventoryTabs.tsx'
import { MyRequests } from './MyRequests.tsx'
import { spanFilters } from './span-filters.ts'

const question = {
  key: 'certificates.inventory',
  filters: {
    status: { many: true },
    expires: {},
    recent: {},
    templateId: { many: true },
    caId: { many: true },
    key: { many: true },
    usage: { many: true },
    source: { many: true },
    lint: { many: true },
    tag: {},
    owner: {},
    ends: {},
    issued: {},
    revoked: {},
  },
  sort: 'issuedAt',
  direction: 'desc',
  // Who asks what ends soon wants the first of them first.
  sortWhile: [
    { filter: 'expires', sort: 'notAfter', direction: 'asc' },
    { filter: 'ends', sort: 'notAfter', direction: 'asc' },
    { filter: 'status', values: ['expiring'], sort: 'notAfter', direction: 'asc' },
  ],
  size: searchPageSize,
} as const

/** A value of a facet in words; one that this list does not know stands as it is. */
function wordOf<T extends string>(known: readonly T[], value: string, word: (name: T) => string): string {
  const name = known.find((one) => one === value)
  return name === undefined ? value : word(name)
}

const showsWaiting = (address: URLSearchParams): boolean => address.get('tab') === 'waiting'

export function CertificateList() {
  const [address] = useSearchParams()
  return showsWaiting(address) ? <WaitingHere /> : <Inventory />
}

/** What waits, among the views of the inventory: what the person may decide, or else what they asked for. */
function WaitingHere() {
  const decides = useMay()('certApprovals', 'View')
  return (
    <Page title={t('Certificates')} views={<InventoryTabs />}>
      {decides ? <ApprovalList waitingForMe /> : <MyRequests />}
    </Page>
  )
}

function Inventory() {
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
      recent: {
        more: true,
        label: t('Issued'),
        options: (Object.keys(recentDays) as Recent[]).map((value) => ({ value, label: t(recentLabels[value]) })),
      },
      key: { ...question.filters.key, label: t('Key'), word: (value) => wordOf(keyNames, value, (name) => t(keyLabel(name))) },
      usage: {
        more: true,
        ...question.filters.usage,
        label: t('Usage'),
        word: (value) => wordOf(usageNames, value, (name) => t(usageLabelOf(name))),
      },
      source: {
        more: true,
        ...question.filters.source,
        label: t('Source'),
        options: sources.map((value) => ({ value, label: t(sourceLabels[value]) })),
      },
      lint: {
        more: true,
        ...question.filters.lint,
        label: t('Checks'),
        options: lintResults.map((value) => ({ value, label: t(lintLabels[value]) })),
      },
      tag: { more: true, label: t('Tag'), options: (choices.data?.tags ?? []).map((value) => ({ value, label: value })) },
      owner: { more: true, label: t('Owner'), options: choices.data?.owners ?? [] },
      ...spanFilters(address),
    },
  })
  return (
    <Page
      title={t('Certificates')}
      views={<InventoryTabs />}
      actions={<LinkButton to={to(certificates.screens.add, { entity: 'device' })}>{t('Request certificate')}</LinkButton>}
    >
      <DataTable
        list={list}
        label={t('Certificates')}
        search={t('Name, serial, e-mail, fingerprint')}
        exportable={{
          from: to(certificates.endpoints.exportCertificates, {}, { text: list.state.text, ...list.state.filters }),
          fileName: 'certificates.csv',
        }}
        tiles={{ filter: 'status', rare: ['pending', 'onHold'] }}
        rowId={(row) => row.certificateId}
        bulk={[compareAction(), ...bulkActionsOf(list.key), downloadAction(), exportAction()]}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), sort: true, link: (row) => certificatePath(row.certificateId), cell: (row) => row.name },
          { key: 'status', label: t('Status'), aside: true, cell: (row) => <ListedState certificate={row} linked /> },
          {
            key: 'notAfter',
            label: t('Expires'),
            sort: true,
            cell: (row) => <EndDate at={row.notAfter} settled={row.status === 'revoked' || row.renewedBy !== undefined || row.replaced} />,
            phone: 'named',
          },
          { key: 'issuedAt', label: t('Issued'), sort: true, cell: (row) => <DateTime at={row.issuedAt} dateOnly />, phone: 'named' },
          {
            key: 'serialNumber',
            label: t('Serial number'),
            sort: true,
            cell: (row) => <ShortNumber value={row.serialNumber} label={t('Serial number')} />,
          },
          { key: 'templateName', label: t('Template'), cell: (row) => row.templateName },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName, phone: false },
          {
            key: 'key',
            label: t('Key'),
            cell: (row) => (row.traits === undefined ? '' : t(keyLabel(row.traits.key))),
            phone: false,
            hidden: true,
          },
          {
            key: 'usages',
            label: t('Usage'),
            cell: (row) => (row.traits?.usages ?? []).map((name) => t(usageLabelOf(name))).join(', '),
            hidden: true,
          },
          {
            key: 'lint',
            label: t('Checks'),
            cell: (row) => (row.traits === undefined ? '' : t(lintLabels[row.traits.lint])),
            hidden: true,
          },
          {
            key: 'source',
            label: t('Source'),
            cell: (row) => (row.traits === undefined ? '' : t(sourceLabels[row.traits.source])),
            hidden: true,
          },
          { key: 'owner', label: t('Owner'), cell: (row) => row.owner, hidden: true },
          { key: 'tags', label: t('Tags'), cell: (row) => row.tags.join(', '), hidden: true },
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

CertificateList.ask = (address: URLSearchParams) =>
  showsWaiting(address) ? Promise.resolve() : askForList(certificates.calls.search, question, address)
