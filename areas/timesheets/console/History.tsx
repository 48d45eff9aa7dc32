// Who submitted, approved and returned a week, when and why.

import { Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { timesheets } from '../contract.ts'
import type { Move } from '../rules.ts'

type Step = OutputOf<typeof timesheets.calls.week>['history'][number]

const words: Record<Move, { label: string }> = {
  submit: { label: 'Submitted' },
  recall: { label: 'Taken back' },
  approve: { label: 'Approved' },
  return: { label: 'Returned' },
  export: { label: 'Exported' },
}

export function History({ steps }: { steps: readonly Step[] }) {
  return (
    <Section title={t('Progress')}>
      {steps.length === 0 ? (
        <Text c="dimmed">{t('Nobody has submitted the week yet.')}</Text>
      ) : (
        <SmallTable
          label={t('Progress')}
          rows={steps}
          rowId={(row) => `${row.at} ${row.what}`}
          columns={[
            { label: t('What'), cell: (row) => t(words[row.what].label) },
            { label: t('By'), cell: (row) => row.by },
            { label: t('When'), cell: (row) => <DateTime at={row.at} /> },
            { label: t('Reason'), cell: (row) => row.reason },
          ]}
        />
      )}
    </Section>
  )
}
