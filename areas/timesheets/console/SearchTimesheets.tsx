import { Stack, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateField } from '#core/console/kit/DateField.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { saveFile } from '#core/console/save-file.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { timesheets } from '../contract.ts'
import { hoursText, roundings, stateLook, states } from '../rules.ts'
import { dateWord } from './week-words.ts'

type Row = RowOf<typeof timesheets.calls.search>

export function SearchTimesheets() {
  const sees = useMay()('viewTimesheets', 'View')
  const list = useList(timesheets.calls.search, {
    key: 'timesheets.search',
    filters: {
      state: { label: t('State'), many: true, options: states.map((value) => ({ value, label: t(stateLook[value].label) })) },
    },
    sort: 'week',
    direction: 'desc',
  })
  return (
    <Page title={t('Search timesheets')}>
      <Stack gap="md">
        <DataTable
          list={list}
          label={t('Timesheets')}
          search={t('Username')}
          rowId={(row) => `${row.userId}/${row.week}`}
          rowName={(row) => `${row.username}, ${row.week}`}
          columns={[
            {
              key: 'username',
              label: t('Person'),
              sort: true,
              ...(sees ? { link: (row: Row) => to(timesheets.screens.view, { '*': `${row.userId}/${row.week}` }) } : {}),
              cell: (row) => row.username,
            },
            { key: 'week', label: t('Week of'), sort: true, cell: (row) => dateWord(row.week), csv: (row) => row.week },
            {
              key: 'state',
              label: t('State'),
              aside: true,
              cell: (row) => <Status of={stateLook[row.state].status} label={t(stateLook[row.state].label)} />,
              csv: (row) => row.state,
            },
            {
              key: 'minutes',
              label: t('Hours'),
              sort: true,
              align: 'end',
              phone: 'named',
              cell: (row) => hoursText(row.minutes),
              csv: (row) => hoursText(row.minutes),
            },
            {
              key: 'changedAt',
              label: t('Changed'),
              sort: true,
              cell: (row) => <DateTime at={row.changedAt} />,
              csv: (row) => row.changedAt,
            },
          ]}
          empty={{ icon: IconClock, title: t('No timesheets yet'), text: t('Who keeps a timesheet writes it under My week.') }}
        />
        <Export />
      </Stack>
    </Page>
  )
}

type Values = { from: string | undefined; until: string | undefined; roundTo: string; again: boolean }

function Export() {
  const initial: Values = { from: undefined, until: undefined, roundTo: '1', again: false }
  const [weeks, setWeeks] = useState<number>()
  return (
    <Section
      title={t('Export approved hours')}
      intro={t('A CSV file of the weeks that begin in the period. They are marked as exported, so that nobody is paid twice.')}
    >
      <Form
        call={timesheets.calls.exportApproved}
        initial={initial}
        toInput={({ from, until, roundTo, again }: Values) => ({ from: from ?? '', until: until ?? '', roundTo: Number(roundTo), again })}
        submit={t('Export hours')}
        guard={false}
        onDone={(answer, { from, until }) => {
          setWeeks(answer.weeks)
          if (answer.weeks > 0) saveFile(new Blob([answer.csv], { type: 'text/csv' }), `timesheets-${from}-${until}.csv`)
        }}
      >
        {(form) => (
          <>
            <DateField {...form.field('from')} label={t('From')} required />
            <DateField {...form.field('until')} label={t('Until')} required />
            <SelectField
              {...form.field('roundTo')}
              label={t('Round to')}
              hint={t('In the file alone: the timesheets keep their minutes.')}
              options={roundings.map((minutes) => ({
                value: String(minutes),
                label: minutes === 1 ? t('Not rounded') : t('{minutes} minutes', { minutes }),
              }))}
            />
            <SwitchField {...form.field('again')} label={t('Also what was exported before')} />
            {weeks !== undefined && (
              <Text role="status" size="sm">
                {t('{weeks, plural, =0 {No approved week in this period} one {# week exported} other {# weeks exported}}', { weeks })}
              </Text>
            )}
          </>
        )}
      </Form>
    </Section>
  )
}
