import { Stack } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Actions } from '#core/console/kit/DetailPage.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { sponsors } from '../contract.ts'
import { useSponsorSearch } from '../sponsor-search.tsx'
import { SponsorFields, termsOf, type SponsorValues } from './SponsorFields.tsx'

export function EditSponsor() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const may = useMay()
  const query = useCall(sponsors.calls.read, { id })
  const removal = useSend(sponsors.calls.remove)
  const manage = to(sponsors.screens.manage)
  const name = query.data?.person.name ?? ''
  const remove = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Delete {name} as a sponsor?', { name }),
      consequence: t('The account of the person stays.'),
      action: t('Delete sponsor'),
      keep: t('Keep sponsor'),
      danger: true,
    })
    if (!sure) return
    try {
      await removal.run({ id })
      await navigate(manage)
    } catch (error) {
      toastFault(error, t('The sponsor was not deleted'))
    }
  }
  return (
    <Page
      title={name === '' ? t('Edit sponsor') : t('Edit {name}', { name })}
      actions={<Actions items={[{ label: t('Delete sponsor'), icon: IconTrash, danger: true, onClick: () => void remove() }]} />}
    >
      <Loaded query={query}>
        {(row) => (
          <Stack gap="md">
            <Form
              key={row.version}
              call={sponsors.calls.change}
              initial={valuesOf(row)}
              toInput={(values: SponsorValues) => ({ id, version: row.version, ...termsOf(values) })}
              submit={t('Save sponsor')}
              cancel={{ label: t('Cancel'), to: manage }}
              onDone={() => navigate(manage)}
            >
              {(form) => <SponsorFields form={form} organisation={row.organisation} />}
            </Form>
            {may('manageSponsor') && <People id={id} />}
            {may('manageSponsor') && row.people > 0 && <HandOver id={id} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

type Read = {
  organisation?: { id: string } | undefined
  from: string
  until?: string | undefined
  most: number
  passTypes: string[]
  note: string
}

const valuesOf = ({ organisation, from, until, most, passTypes, note }: Read): SponsorValues => ({
  organisationId: organisation?.id,
  from,
  until,
  most,
  passTypes,
  note,
})

function People({ id }: { id: string }) {
  const list = useList(sponsors.calls.people, { key: 'sponsors.people', base: { id } })
  return (
    <Section title={t('People sponsored')}>
      <DataTable
        list={list}
        label={t('People sponsored')}
        search={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), link: (row) => to(users.screens.view, { id: row.id }), cell: (row) => row.name },
          { key: 'username', label: t('Username'), cell: (row) => row.username },
          { key: 'since', label: t('Since'), cell: (row) => <DateTime at={row.since} dateOnly />, csv: (row) => row.since },
        ]}
        empty={{ title: t('Nobody yet'), text: t('Choose the sponsor of a person on the page of that person.') }}
      />
    </Section>
  )
}

type Target = { toId: string | undefined }

function HandOver({ id }: { id: string }) {
  const { options, onSearch } = useSponsorSearch()
  const initial: Target = { toId: undefined }
  return (
    <Section title={t('Hand over people')} intro={t('All of them go to another sponsor, for instance before this one leaves.')}>
      <Form
        call={sponsors.calls.handOver}
        initial={initial}
        toInput={({ toId }: Target) => ({ id, toId: toId ?? '' })}
        submit={t('Hand over')}
        guard={false}
        onDone={() => {}}
      >
        {(form) => (
          <SelectField
            {...form.field('toId')}
            label={t('New sponsor of all')}
            options={options.filter(({ value }) => value !== id)}
            onSearch={onSearch}
            required
          />
        )}
      </Form>
    </Section>
  )
}
