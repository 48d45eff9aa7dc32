// How a batch looks in a list.

import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { printing } from '../contract.ts'
import { batchLabels, printerWords, skipLabels, type SkipReason } from '../rules.ts'

type Batch = OutputOf<typeof printing.calls.mine>['rows'][number]

export const batchName = ({ madeAt, by }: Batch): string =>
  t('{time} by {person}', { time: madeAt.slice(0, 16).replace('T', ' '), person: by })

/** Why a card was left out, or is going to be; else what its printer said. */
export const troubleOf = ({ skippedFor, says }: { skippedFor?: SkipReason | undefined; says: string }): string =>
  skippedFor === undefined ? says.split(', ').map(inWords).join(', ') : t(skipLabels[skippedFor])

/** That, and why it was printed again. */
export const remarksOf = ({ againFor, ...card }: Parameters<typeof troubleOf>[0] & { againFor?: string | undefined }): string =>
  [troubleOf(card), againFor === undefined ? '' : t('Printed again: {reason}', { reason: againFor })]
    .filter((remark) => remark !== '')
    .join('; ')

/** What printers say by the keywords of IPP; the keyword stays beside it, because the printer's own pages name it so. */
function inWords(keyword: string): string {
  const word = printerWords[keyword]
  return word === undefined ? t(keyword) : `${t(word.says)} (${keyword})`
}

export const batchColumns = () => [
  {
    key: 'state',
    label: t('Status'),
    aside: true,
    cell: (row: Batch) => <Status of={batchLabels[row.state].kind} label={t(batchLabels[row.state].label)} />,
    csv: (row: Batch) => row.state,
  },
  {
    key: 'printed',
    label: t('Printed'),
    phone: 'named' as const,
    cell: (row: Batch) => t('{printed, number} of {cards, number}', { printed: row.printed, cards: row.cards }),
    csv: (row: Batch) => String(row.printed),
  },
  { key: 'printer', label: t('Printer'), phone: false as const, cell: (row: Batch) => row.printer, csv: (row: Batch) => row.printer },
  {
    key: 'madeAt',
    label: t('Made'),
    phone: false as const,
    cell: (row: Batch) => <DateTime at={row.madeAt} />,
    csv: (row: Batch) => row.madeAt,
  },
]
