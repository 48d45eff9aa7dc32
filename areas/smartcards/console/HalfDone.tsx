// An issue or a renewal that stopped on its way: for whom, why it stands still, and the button that goes on.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { smartcards } from '../contract.ts'
import { WaitsForApproval } from './WaitsForApproval.tsx'

export type HalfDone = NonNullable<OutputOf<typeof smartcards.calls.unfinished>['operation']>
type Standing = 'denied' | 'waiting' | 'granted' | 'stopped'

/** One certificate that was denied stops all, and one that waits lets all wait. */
const standingOf = ({ requests }: HalfDone): Standing =>
  requests.length === 0
    ? 'stopped'
    : ((['denied', 'waiting'] as const).find((one) => requests.some(({ stands }) => stands === one)) ?? 'granted')

const titles = {
  issue: {
    denied: 'Issuing for {name} was denied',
    waiting: 'Issuing for {name} waits for approval',
    granted: 'Issuing for {name} was approved',
    stopped: 'Issuing for {name} is half way',
  },
  reissue: {
    denied: 'The renewal for {name} was denied',
    waiting: 'The renewal for {name} waits for approval',
    granted: 'The renewal for {name} was approved',
    stopped: 'The renewal for {name} is half way',
  },
} as const satisfies Record<HalfDone['kind'], Record<Standing, string>>

export function HalfDoneAlert({ half, onGoOn }: { half: HalfDone; onGoOn: () => void }) {
  const standing = standingOf(half)
  const title = t(titles[half.kind][standing], { name: half.userName })
  if (standing === 'waiting') return <WaitsForApproval title={title} />
  if (standing === 'denied')
    return (
      <Alert color="orange" title={title}>
        {t('It cannot go on. Clean or unregister the card to begin anew.')}
      </Alert>
    )
  return (
    <Alert color={standing === 'granted' ? 'green' : 'orange'} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text inherit>{standing === 'granted' ? t('Its certificates can be put on the card now.') : t(half.error)}</Text>
        <Button onClick={onGoOn}>{t('Go on')}</Button>
      </Stack>
    </Alert>
  )
}
