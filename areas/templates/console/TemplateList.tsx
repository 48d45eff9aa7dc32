import { IconFileDescription } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { useAuthorityFilter } from '#areas/authorities/authority-search.tsx'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { templates } from '../contract.ts'
import { certificateClasses, parseCsrRules, type CertificateClassName } from '../rules.ts'
import { accessLevelLabels, approvalText, validityText } from './labels.ts'
import { createPath, templatePath } from './paths.ts'

const question = { key: 'templates.all', filters: { caId: {}, class: {} } } as const

TemplateList.ask = (address: URLSearchParams) => askForList(templates.calls.list, question, address)

export function TemplateList() {
  const [address] = useSearchParams()
  const offered = useAuthorityFilter(address.get('caId') ?? undefined)
  const remove = useSend(templates.calls.remove, { invalidates: ['certificates'] })
  const list = useList(templates.calls.list, {
    ...question,
    filters: {
      caId: { label: t('Authority'), ...offered },
      class: {
        label: t('Class'),
        options: (Object.keys(certificateClasses) as CertificateClassName[])
          .filter((name) => name !== 'UNKNOWN')
          .map((value) => ({ value, label: t(certificateClasses[value].label) })),
      },
    },
  })

  const askAndRemove = async (templateId: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Delete template {name}?', { name }),
      consequence: t(
        'Nobody can request with it any more. Certificates issued with it stay valid, and requests that wait go on as they were made.',
      ),
      action: t('Delete template'),
      keep: t('Keep template'),
    })
    if (sure) await remove.run({ templateId }).catch((error: unknown) => toastFault(error, t('The template was not deleted')))
  }

  return (
    <Page
      title={t('Templates')}
      intro={t('What may be issued: the names, usages and life of certificates, who may ask, and who must agree.')}
      actions={<LinkButton to={createPath()}>{t('New template')}</LinkButton>}
    >
      <DataTable
        list={list}
        label={t('Templates')}
        search={t('Name or authority')}
        rowId={(row) => row.templateId}
        rowName={(row) => row.displayName}
        columns={[
          { key: 'displayName', label: t('Name'), link: (row) => templatePath(row.templateId), cell: (row) => row.displayName },
          {
            key: 'enabled',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={row.enabled ? 'active' : 'disabled'} />,
            csv: (row) => (row.enabled ? t('Active') : t('Disabled')),
          },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName },
          { key: 'class', label: t('Class'), cell: (row) => t(certificateClasses[row.class].label) },
          { key: 'validity', label: t('Valid for'), cell: (row) => validityText(row.validityPeriod, row.validityPeriodUnits) },
          { key: 'approvals', label: t('Approval'), cell: (row) => approvalText(row.issueApprovers) },
          { key: 'asymmetricAlgorithm', label: t('Keys'), cell: (row) => row.asymmetricAlgorithm, hidden: true },
          {
            key: 'selfServiceEligible',
            label: t('Self-service'),
            cell: (row) => (row.selfServiceEligible ? t('Yes') : t('No')),
            hidden: true,
          },
          {
            key: 'caExpiry',
            label: t('Authority expires'),
            cell: (row) => <DateTime at={row.caExpiry === '' ? undefined : row.caExpiry} dateOnly />,
            csv: (row) => row.caExpiry,
            hidden: true,
          },
          { key: 'templateName', label: t('Template name'), cell: (row) => row.templateName, hidden: true },
          {
            key: 'accessLevel',
            label: t('Access level'),
            cell: (row) => t(accessLevelLabels[row.accessLevel]),
            csv: (row) => row.accessLevel,
            hidden: true,
          },
          {
            key: 'priority',
            label: t('Place in lists'),
            cell: (row) => row.priority ?? t('Last'),
            csv: (row) => String(row.priority ?? ''),
            hidden: true,
          },
          {
            key: 'templateId',
            label: t('Template id'),
            cell: (row) => <Mono value={row.templateId} />,
            csv: (row) => row.templateId,
            hidden: true,
          },
          {
            key: 'licensedTemplateId',
            label: t('Licensed template id'),
            cell: (row) => <Mono value={row.licensedTemplateId} />,
            csv: (row) => row.licensedTemplateId,
            hidden: true,
          },
          {
            key: 'allowedDomains',
            label: t('Allowed domains'),
            cell: (row) => parseCsrRules(row.csrRules)?.allowedDomains.join(', ') || t('Any'),
            hidden: true,
          },
        ]}
        rowActions={(row) => [
          { label: t('Edit template'), to: templatePath(row.templateId) },
          { label: t('Delete template'), danger: true, onClick: () => void askAndRemove(row.templateId, row.displayName) },
        ]}
        empty={{
          icon: IconFileDescription,
          title: t('No templates yet'),
          text: t('A template says what an authority issues. Begin with one of the usual ones and change what you need.'),
          action: <LinkButton to={createPath()}>{t('New template')}</LinkButton>,
        }}
      />
    </Page>
  )
}
