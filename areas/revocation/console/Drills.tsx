// Drills of mass revocations: hold one over a part of the inventory, and read those that were held.

import { IconFirstAidKit } from '@tabler/icons-react'
import { certificates } from '#areas/certificates/contract.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { MultiSelectField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { goTo } from '#core/console/navigate.ts'
import { usePreference } from '#core/console/preferences.ts'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { queryOfView } from './drill-scope.ts'

type Values = { name: string; caId: string[]; templateId: string[]; view?: string | undefined }

const question = { key: 'revocation.drills' } as const

Drills.ask = (address: URLSearchParams) => askForList(revocation.calls.searchDrills, question, address)

export function Drills() {
  const choices = useCall(certificates.calls.choices, {})
  const views = usePreference('views')['certificates.inventory'] ?? []
  const list = useList(revocation.calls.searchDrills, question)
  return (
    <Page
      title={t('Revocation drills')}
      intro={t(
        'What revoking a whole authority, a template or a saved view would do: counted and measured. Nothing is signed, nobody is mailed, nothing changes.',
      )}
    >
      <Section title={t('Run a drill')}>
        <Form
          call={revocation.calls.runDrill}
          initial={{ name: '', caId: [], templateId: [], view: undefined }}
          toInput={({ name, caId, templateId, view }: Values) => ({
            name,
            ...queryOfView(views.find((one) => one.name === view)?.query),
            ...(caId.length === 0 ? {} : { caId }),
            ...(templateId.length === 0 ? {} : { templateId }),
          })}
          submit={t('Run drill')}
          guard={false}
          onDone={({ drillId }) => goTo(to(revocation.screens.drill, { drillId }))}
        >
          {(form) => (
            <>
              <MultiSelectField
                {...form.field('caId')}
                label={t('Authorities')}
                hint={t('None chosen: all.')}
                options={choices.data?.authorities ?? []}
              />
              <MultiSelectField
                {...form.field('templateId')}
                label={t('Templates')}
                hint={t('None chosen: all.')}
                options={choices.data?.templates ?? []}
              />
              {views.length > 0 && (
                <SelectField
                  {...form.field('view')}
                  label={t('Saved view')}
                  hint={t('A search and filters that you saved in the inventory.')}
                  clearable
                  options={views.map(({ name }) => ({ value: name, label: name }))}
                />
              )}
              <TextField {...form.field('name')} label={t('Name')} hint={t('What it is for, such as "Quarterly drill".')} />
            </>
          )}
        </Form>
      </Section>
      <DataTable
        list={list}
        label={t('Drills')}
        search={t('Name or person')}
        views={false}
        rowId={(row) => row.drillId}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Drill'),
            link: (row) => to(revocation.screens.drill, { drillId: row.drillId }),
            cell: (row) => (row.name === '' ? t('Drill') : row.name),
          },
          {
            key: 'matched',
            label: t('Certificates'),
            align: 'end',
            aside: true,
            cell: (row) => formatNumber(row.figures.matched),
            csv: (row) => String(row.figures.matched),
          },
          {
            key: 'holders',
            label: t('Holders cut off'),
            align: 'end',
            phone: false,
            cell: (row) => formatNumber(row.figures.holders),
            csv: (row) => String(row.figures.holders),
          },
          { key: 'by', label: t('Held by'), cell: (row) => row.by },
          { key: 'at', label: t('Held'), cell: (row) => <DateTime at={row.at} />, csv: (row) => row.at },
        ]}
        empty={{
          icon: IconFirstAidKit,
          title: t('No drills yet'),
          text: t('Run one before you need it: you learn how long a mass revocation takes, and whom it cuts off.'),
        }}
      />
    </Page>
  )
}
