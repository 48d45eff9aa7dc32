// Which of this tenancy's authorities and templates others may use: the tenancies first, then what each has.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconCalendar, IconInfoCircle, IconLicense } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import type { LicenceTerm as LicenceDaysOf } from '#areas/authorities/rules.ts'
import { certificateClasses } from '#areas/templates/rules.ts'
import { newTenancyPath } from '#areas/tenancy/rules.ts'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { dayText } from '#core/contract/days.ts'
import { to } from '#core/contract/paths.ts'
import { licensing } from '../contract.ts'
import { bothHold, licenceState } from '../rules.ts'
import { LicenceDays, type Licensed } from './LicenceDays.tsx'
import { LicenceTerm, type LicenceView } from './LicenceStatus.tsx'
import { LicenceSwitch } from './LicenceSwitch.tsx'

const listPath = to(licensing.screens.licences)
const tenantPath = (tenantId: string) => `${listPath}?tenant=${tenantId}`

const question = { key: 'licensing.tenants' } as const

Licences.ask = (address: URLSearchParams) => askForList(licensing.calls.tenants, question, address)

export function Licences() {
  const [search] = useSearchParams()
  const tenantId = search.get('tenant')
  return tenantId === null ? <Tenants /> : <TenantLicences key={tenantId} tenantId={tenantId} />
}

function Tenants() {
  const { management } = useViewer()
  const list = useList(licensing.calls.tenants, question)
  return (
    <Page
      title={t('Licensing')}
      intro={t(
        'Let other tenancies ask for certificates of this tenancy’s authorities, with its templates. Keys and serial numbers stay here; the certificates belong to those who ask.',
      )}
    >
      <DataTable
        list={list}
        label={t('Tenancies')}
        rowId={(row) => row.tenantId}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Tenancy'), link: (row) => tenantPath(row.tenantId), cell: (row) => row.name },
          {
            key: 'authorities',
            label: t('Authorities'),
            cell: (row) => t('{count, plural, =0 {No authority} one {# authority} other {# authorities}}', { count: row.authorities }),
            csv: (row) => String(row.authorities),
          },
          {
            key: 'endsNext',
            label: t('Ends next'),
            cell: (row) =>
              row.endsNext === undefined ? (
                '–'
              ) : (
                <LicenceTerm licence={{ enabled: true, until: row.endsNext, state: row.soon ? 'endsSoon' : 'active' }} />
              ),
            csv: (row) => row.endsNext ?? '',
          },
          {
            key: 'templates',
            label: t('Templates'),
            aside: true,
            cell: (row) => t('{count, plural, =0 {No template} one {# template} other {# templates}}', { count: row.templates }),
            csv: (row) => String(row.templates),
          },
        ]}
        rowActions={(row) => [{ label: t('Change licences'), to: tenantPath(row.tenantId) }]}
        empty={{
          icon: IconLicense,
          title: t('No tenancy to license to'),
          ...(management
            ? {
                text: t('Each tenancy that this one manages stands here with its licences. There is none yet.'),
                action: <LinkButton to={newTenancyPath}>{t('New tenancy')}</LinkButton>,
              }
            : {
                text: t(
                  'Licences are made in the management tenancy, on its own page of this name. What it has licensed to this tenancy stands among the templates here.',
                ),
                action: <LinkButton to={to(licensing.screens.templates)}>{t('Templates of this tenancy')}</LinkButton>,
              }),
        }}
      />
    </Page>
  )
}

type LicensedAuthority = OutputOf<typeof licensing.calls.licences>['authorities'][number]

function TenantLicences({ tenantId }: { tenantId: string }) {
  const query = useCall(licensing.calls.licences, { tenantId })
  const [changed, setChanged] = useState<Licensed>()
  const may = useMay()
  const first = may('manageCAs', 'View') && <LinkButton to={to(authorities.screens.manage, { id: 'new' })}>{t('New authority')}</LinkButton>
  return (
    <Page
      title={query.data === undefined ? t('Licences') : t('Licences of {name}', { name: query.data.name })}
      inside
      intro={t(
        'A licence switched off, or past its last day, stops issuing at once. Certificates that were issued stay, and can be downloaded and revoked.',
      )}
      actions={
        <LinkButton variant="default" to={listPath}>
          {t('All tenancies')}
        </LinkButton>
      }
    >
      <Loaded query={query}>
        {({ authorities }) =>
          authorities.length === 0 ? (
            <EmptyState
              icon={IconLicense}
              title={t('No authority yet')}
              text={t('There is nothing to license before this tenancy has an authority with a certificate.')}
              action={first}
            />
          ) : (
            <Stack gap="md">
              {authorities.map((authority) => (
                <AuthorityLicences
                  key={authority.caId}
                  tenantId={tenantId}
                  authority={authority}
                  read={query.dataUpdatedAt}
                  onDays={setChanged}
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <LicenceDays licensed={changed} onClose={() => setChanged(undefined)} />
    </Page>
  )
}

/** Switched on again after its last day it is without an end: the old one would end it at once. */
const switched = ({ until }: LicenceView, enabled: boolean) => ({
  enabled,
  ...(enabled && until !== undefined && until < dayText(new Date()) && { until: '' }),
})

const termOf = ({ enabled, from, until }: LicenceView): LicenceDaysOf => ({ enabled, from, until })

function together(one: LicenceView, other: LicenceView): LicenceView {
  const term = bothHold(termOf(one), termOf(other))
  return { ...term, state: licenceState(term, new Date()) }
}

/** The days of a licence that is given, and the way to change them. */
function Days({
  licensed,
  within,
  onDays,
}: {
  licensed: Licensed
  /** Of a template, the licence of its authority, which must hold as well. */ within?: LicenceView
  onDays: (licensed: Licensed) => void
}) {
  if (!licensed.licence.enabled) return null
  return (
    <Group gap="sm">
      {within?.enabled === false ? (
        <Text c="dimmed" size="sm">
          {t('Applies again once the authority is licensed')}
        </Text>
      ) : (
        <LicenceTerm licence={within === undefined ? licensed.licence : together(licensed.licence, within)} />
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconCalendar size={14} stroke={1.8} aria-hidden />}
        aria-label={t('Set dates of the licence for {name}', { name: licensed.name })}
        onClick={() => onDays(licensed)}
      >
        {t('Set dates')}
      </Button>
    </Group>
  )
}

function AuthorityLicences({
  tenantId,
  authority,
  read,
  onDays,
}: {
  tenantId: string
  authority: LicensedAuthority
  read: number
  onDays: (licensed: Licensed) => void
}) {
  const license = useSend(licensing.calls.licenseAuthority)
  const licenseTemplate = useSend(licensing.calls.licenseTemplate)
  const { caId, friendlyName, status, licence, templates } = authority
  return (
    <Section title={friendlyName} actions={<Status of={status} />}>
      <Stack gap="sm">
        {license.fault !== undefined && <FaultAlert fault={license.fault} />}
        {licenseTemplate.fault !== undefined && <FaultAlert fault={licenseTemplate.fault} />}
        <Group justify="space-between" gap="xs">
          <LicenceSwitch
            label={t('May use this authority')}
            licence={licence}
            read={read}
            onSwitch={(enabled) => license.run({ tenantId, caId, ...switched(licence, enabled) })}
          />
          <Days licensed={{ name: friendlyName, tenantId, caId, licence }} onDays={onDays} />
        </Group>
        {templates.length === 0 && <Text c="dimmed">{t('This authority has no templates.')}</Text>}
        {templates.length > 0 && !licence.enabled && (
          <Alert variant="light" icon={<IconInfoCircle size={18} stroke={1.8} aria-hidden />}>
            {t('Its templates can be licensed once the authority is.')}
          </Alert>
        )}
        {templates.map((template) => (
          <Group key={template.templateId} justify="space-between" gap="xs" pl={{ base: 0, sm: 'lg' }}>
            <LicenceSwitch
              label={template.displayName}
              description={
                template.enabled
                  ? t(certificateClasses[template.class].label)
                  : t('{kind}; switched off by its owner', { kind: t(certificateClasses[template.class].label) })
              }
              licence={template.licence}
              read={read}
              disabled={!licence.enabled && !template.licence.enabled}
              onSwitch={(enabled) =>
                licenseTemplate.run({ tenantId, templateId: template.templateId, ...switched(template.licence, enabled) })
              }
            />
            <Days
              licensed={{ name: template.displayName, tenantId, templateId: template.templateId, licence: template.licence }}
              within={licence}
              onDays={onDays}
            />
          </Group>
        ))}
      </Stack>
    </Section>
  )
}
