import { Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { certificates } from '../contract.ts'

/** What those said who were asked, void votes too. */
export function Votes({ votes }: { votes: OutputOf<typeof certificates.calls.approval>['votes'] }) {
  if (votes.length === 0) return <Text c="dimmed">{t('Nobody has voted yet.')}</Text>
  return (
    <SmallTable
      label={t('Votes')}
      rows={votes}
      rowId={(vote) => vote.voter + vote.at}
      columns={[
        { label: t('Who'), cell: (vote) => vote.voter },
        {
          label: t('Vote'),
          aside: true,
          cell: (vote) =>
            vote.void ? (
              <Status of="cancelled" label={t('Void: the request was changed')} />
            ) : (
              <Status of={vote.verdict === 'approve' ? 'approved' : 'denied'} />
            ),
        },
        { label: t('Comment'), plain: true, cell: (vote) => vote.comment },
        { label: t('When'), plain: true, cell: (vote) => <DateTime at={vote.at} /> },
      ]}
    />
  )
}
