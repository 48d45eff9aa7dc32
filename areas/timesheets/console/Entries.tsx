// The entries of a week as they were written.

import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { timesheets } from '../contract.ts'
import { hoursText } from '../rules.ts'
import { dayWord } from './week-words.ts'

type Entry = OutputOf<typeof timesheets.calls.week>['entries'][number]

export function Entries({ entries }: { entries: readonly Entry[] }) {
  return (
    <SmallTable
      label={t('Hours')}
      rows={entries}
      rowId={(row) => row.id}
      columns={[
        { label: t('Day'), cell: (row) => dayWord(row.day) },
        { label: t('From'), cell: (row) => row.from },
        { label: t('To'), cell: (row) => row.to },
        { label: t('Break'), align: 'end', cell: (row) => row.breakMinutes },
        { label: t('Hours'), align: 'end', aside: true, cell: (row) => hoursText(row.minutes) },
        { label: t('Activity'), cell: (row) => row.activity },
        { label: t('Project'), cell: (row) => row.project },
        { label: t('Note'), cell: (row) => row.note },
      ]}
    />
  )
}
