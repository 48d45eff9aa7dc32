// The recoveries that people have asked for, for those who agree to them.

import { IconKey } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { archive } from '../contract.ts'
import { RecoveryStatus } from './RecoveryStatus.tsx'

type Row = { recoveryId: string; name: string; requester: string; reason: string }

const question = { key: 'archive.recoveries' } as const

KeyRecoveries.ask = (address: URLSearchParams) => askForList(archive.calls.recoveries, question, address)

export function KeyRecoveries() {
  const list = useList(archive.calls.recoveries, question)
  const vote = useSend(archive.calls.vote, { invalidates: ['home'] })
  const decide = async ({ recoveryId, name, requester, reason }: Row, verdict: 'approve' | 'deny'): Promise<void> => {
    const sure = await confirm({
      title:
        verdict === 'approve'
          ? t('Let {requester} have the key of {name}?', { requester, name })
          : t('Refuse {requester} the key of {name}?', { requester, name }),
      consequence:
        verdict === 'approve'
          ? t('Whoever has the key reads everything that was encrypted for it. The reason given: {reason}', { reason })
          : t('The key stays sealed. {requester} can ask again.', { requester }),
      action: verdict === 'approve' ? t('Agree to recovery') : t('Refuse recovery'),
      keep: t('Decide later'),
    })
    if (sure) await vote.run({ recoveryId, verdict }).catch((error: unknown) => toastFault(error, t('Your decision was not recorded')))
  }
  return (
    <Page
      title={t('Key recoveries')}
      intro={t('Who has asked for which key, and why. The one who asks never counts; what is agreed to can be fetched once, within a day.')}
    >
      <DataTable
        list={list}
        label={t('Recoveries')}
        search={false}
        rowId={(row) => row.recoveryId}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Certificate'), cell: (row) => row.name },
          { key: 'state', label: t('State'), aside: true, cell: (row) => <RecoveryStatus recovery={row} />, csv: (row) => row.state },
          { key: 'holder', label: t('Holder'), cell: (row) => row.holder },
          { key: 'requester', label: t('Asked for by'), cell: (row) => row.requester },
          { key: 'reason', label: t('Reason'), cell: (row) => row.reason },
          { key: 'requestedAt', label: t('Asked'), cell: (row) => <DateTime at={row.requestedAt} />, csv: (row) => row.requestedAt },
          { key: 'decidedBy', label: t('Decided by'), cell: (row) => row.decidedBy, hidden: true },
        ]}
        rowActions={(row) => [
          row.mayVote && { label: t('Agree to recovery'), onClick: () => void decide(row, 'approve') },
          row.mayVote && { label: t('Refuse recovery'), danger: true, onClick: () => void decide(row, 'deny') },
        ]}
        empty={{
          icon: IconKey,
          title: t('Nobody has asked for a key'),
          text: t('Recoveries of archived keys wait here until enough others have agreed.'),
        }}
      />
    </Page>
  )
}
