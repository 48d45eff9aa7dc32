import { Button, Modal } from '@mantine/core'
import { IconPlus, IconWorldCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { domains } from '../contract.ts'
import { DomainUses } from './DomainUses.tsx'
import { useRemoval } from './remove-domain.ts'
import { proofLabels, stateLabels } from './states.ts'

const question = { key: 'domains.all', filters: { state: {} }, sort: 'name' } as const

AllowedDomains.ask = (address: URLSearchParams) => askForList(domains.calls.search, question, address)

type Row = OutputOf<typeof domains.calls.search>['rows'][number]

export function AllowedDomains() {
  const [adding, setAdding] = useState(false)
  const navigate = useNavigate()
  const remove = useRemoval()
  const list = useList(domains.calls.search, {
    ...question,
    filters: {
      state: { label: t('Status'), options: Object.entries(stateLabels).map(([value, { label }]) => ({ value, label: t(label) })) },
    },
  })
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('Add domain')}
    </Button>
  )
  return (
    <Page
      title={t('Allowed domains')}
      intro={t(
        'Domains that belong to this tenancy. One counts once control of it is proved, for single sign-on, registration and branding.',
      )}
      actions={list.answer?.total === 0 ? undefined : add}
    >
      <DataTable
        list={list}
        label={t('Allowed domains')}
        search={t('Domain')}
        rowId={(row) => row.id}
        rowName={(row) => row.shownName}
        columns={[
          {
            key: 'name',
            label: t('Domain'),
            sort: true,
            link: (row) => to(domains.screens.view, { id: row.id }),
            cell: (row) => row.shownName,
            csv: (row) => row.shownName,
          },
          // As it stands in DNS, where that is not how it reads.
          ...(list.answer?.rows.some((row) => row.shownName !== row.name) === true
            ? [
                {
                  key: 'dnsName',
                  label: t('In DNS'),
                  cell: (row: Row) => (row.shownName === row.name ? '' : <Mono value={row.name} grouped={false} />),
                  csv: (row: Row) => row.name,
                },
              ]
            : []),
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={stateLabels[row.state].status} label={t(stateLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'proof', label: t('Proof'), cell: (row) => (row.proof === undefined ? '' : t(proofLabels[row.proof].label)) },
          {
            key: 'provedAt',
            label: t('Proved'),
            cell: (row) => (row.provedAt === undefined ? '' : <DateTime at={row.provedAt} dateOnly />),
            csv: (row) => row.provedAt ?? '',
          },
          { key: 'uses', label: t('Used by'), cell: (row) => <DomainUses name={row.name} />, csv: () => '' },
          {
            key: 'addedAt',
            label: t('Added'),
            sort: true,
            hidden: true,
            cell: (row) => <DateTime at={row.addedAt} dateOnly />,
            csv: (row) => row.addedAt,
          },
        ]}
        rowActions={(row) => [
          { label: t('Open domain'), to: to(domains.screens.view, { id: row.id }) },
          { label: t('Remove domain'), danger: true, onClick: () => void remove(row) },
        ]}
        empty={{
          icon: IconWorldCheck,
          title: t('No domains yet'),
          text: t('Add the domain of your organisation, then prove that it is yours by a DNS record or a file.'),
          action: add,
        }}
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('Add domain')}>
        <Form
          call={domains.calls.add}
          initial={{ name: '' }}
          submit={t('Add domain')}
          cancel={{ label: t('Cancel'), onClick: () => setAdding(false) }}
          guard={false}
          onDone={({ id }) => navigate(to(domains.screens.view, { id }))}
        >
          {(form) => <TextField {...form.field('name')} label={t('Domain')} hint={t('Such as example.com')} autoFocus required />}
        </Form>
      </Modal>
    </Page>
  )
}
