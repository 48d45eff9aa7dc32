// The templates that this tenancy may use, its own and licensed ones, and for whom each is open.

import { IconFileDescription, IconToggleLeft, IconToggleRight } from '@tabler/icons-react'
import { templates } from '#areas/templates/contract.ts'
import { certificateClasses } from '#areas/templates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { licensing } from '../contract.ts'
import { mayBeAnonymous, notForAnonymous } from '../rules.ts'
import { EndingLicences } from './EndingLicences.tsx'
import { licenceDays, LicenceStatus } from './LicenceStatus.tsx'

type Row = OutputOf<typeof licensing.calls.templates>['rows'][number]
type Flags = Pick<Row, 'enabled' | 'anonymousEnabled' | 'selfServiceEligible'>

const yesOrNo = (value: boolean): string => (value ? t('Yes') : t('No'))

function TemplateStatus({ row: { enabled, granted, licence } }: { row: Row }) {
  // Both licences hold, and the owner has switched the template or the authority off: then it is disabled like an own one.
  if (licence !== undefined && (!granted || (enabled && licence.state === 'endsSoon'))) return <LicenceStatus of={licence} />
  return <Status of={enabled ? 'active' : 'disabled'} />
}

const question = { key: 'licensing.templates', filters: { origin: {} } } as const

TenancyTemplates.ask = (address: URLSearchParams) => askForList(licensing.calls.templates, question, address)

export function TenancyTemplates() {
  const may = useMay()
  const setFlags = useSend(licensing.calls.setFlags, { invalidates: ['templates', 'authorities', 'certificates'] })
  const list = useList(licensing.calls.templates, {
    ...question,
    filters: {
      origin: {
        label: t('Origin'),
        options: [
          { value: 'own', label: t('Own') },
          { value: 'licensed', label: t('Licensed') },
        ],
      },
    },
  })
  const set = ({ licensedTemplateId, enabled, anonymousEnabled, selfServiceEligible }: Row, change: Partial<Flags>): void =>
    void setFlags
      .run({ licensedTemplateId, enabled, anonymousEnabled, selfServiceEligible, ...change })
      .catch((error: unknown) => toastFault(error, t('The template was not changed')))
  const toggle = (on: boolean, label: string, onClick: () => void, off?: string) => ({
    label,
    icon: on ? IconToggleRight : IconToggleLeft,
    onClick,
    off,
  })
  return (
    <Page
      title={t('Templates of this tenancy')}
      intro={t('What may be asked for here, and by whom. A licensed template belongs to another tenancy, which can also switch it off.')}
    >
      <EndingLicences
        rows={(list.answer?.rows ?? []).map(({ licensedTemplateId, displayName, owner, licence }) => ({
          id: licensedTemplateId,
          name: displayName,
          owner,
          licence,
        }))}
      />
      <DataTable
        list={list}
        label={t('Templates')}
        search={t('Name, authority or owner')}
        rowId={(row) => row.licensedTemplateId}
        rowName={(row) => row.displayName}
        columns={[
          { key: 'displayName', label: t('Name'), cell: (row) => row.displayName },
          {
            key: 'enabled',
            label: t('Status'),
            aside: true,
            cell: (row) => <TemplateStatus row={row} />,
            csv: (row) => (row.enabled && row.granted ? t('Active') : t('Disabled')),
          },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName },
          { key: 'owner', label: t('Owner'), cell: (row) => (row.own ? t('This tenancy') : row.owner) },
          {
            key: 'licence',
            label: t('Licensed'),
            phone: false,
            cell: (row) => (row.licence === undefined ? '–' : licenceDays(row.licence)),
            csv: (row) => row.licence?.until ?? '',
          },
          { key: 'class', label: t('For'), cell: (row) => t(certificateClasses[row.class].label) },
          { key: 'selfServiceEligible', label: t('Self-service'), phone: false, cell: (row) => yesOrNo(row.selfServiceEligible) },
          { key: 'anonymousEnabled', label: t('Anonymous requests'), phone: false, cell: (row) => yesOrNo(row.anonymousEnabled) },
          { key: 'priority', label: t('Place'), cell: (row) => row.priority ?? t('Last'), hidden: true },
        ]}
        rowActions={(row) => [
          toggle(row.enabled, row.enabled ? t('Switch off here') : t('Switch on here'), () => set(row, { enabled: !row.enabled })),
          toggle(row.selfServiceEligible, row.selfServiceEligible ? t('Close to self-service') : t('Open to self-service'), () =>
            set(row, { selfServiceEligible: !row.selfServiceEligible }),
          ),
          toggle(
            row.anonymousEnabled,
            row.anonymousEnabled ? t('Close to anonymous requests') : t('Open to anonymous requests'),
            () => set(row, { anonymousEnabled: !row.anonymousEnabled }),
            row.anonymousEnabled || mayBeAnonymous(row.class) ? undefined : t(notForAnonymous),
          ),
        ]}
        empty={{
          icon: IconFileDescription,
          title: t('No template yet'),
          text: t('Add a template to an authority of this tenancy, or ask the management tenancy to license one.'),
          action: may('manageCAs', 'View') && <LinkButton to={to(templates.screens.manage, { id: 'new' })}>{t('New template')}</LinkButton>,
        }}
      />
    </Page>
  )
}
