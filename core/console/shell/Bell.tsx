// The button of the notices: how much waits for the person, and whether something is new.

import { ActionIcon, Indicator } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Hint } from '../kit/Hint.tsx'
import { lazyPanel, usePanel } from '../kit/panel-button.ts'
import { useOffers } from '../rooms.ts'
import { notices } from '../slots.ts'
import { t } from '../text.ts'
import { seeToasts, toastStore } from '../toasts.ts'
import { useShown } from '../when-shown.ts'

const load = () => import('./BellPanel.tsx')
const BellPanel = lazyPanel(load)

export function Bell() {
  const unseen = toastStore((state) => state.unseen)
  const work = useWaiting()
  const { panel, target, wanted } = usePanel(load, (open) => {
    if (open) seeToasts()
  })
  const waiting = work.reduce((sum, { count }) => sum + count, 0)
  const says = [
    t('Notices'),
    ...(waiting === 0 ? [] : [t('{count} waiting for you', { count: waiting })]),
    ...(unseen === 0 ? [] : [t('{count} new', { count: unseen })]),
  ].join(', ')
  return (
    <>
      <Hint label={t('Notices')} disabled={panel.open}>
        <Indicator
          disabled={unseen === 0 && waiting === 0}
          offset={6}
          color="red"
          {...(waiting === 0 ? { size: 7 } : { size: 15, label: waiting > 99 ? '99+' : waiting })}
        >
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={says} {...target}>
            <IconBell size={19} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Indicator>
      </Hint>
      {wanted && (
        <Suspense>
          <BellPanel panel={panel} work={work} />
        </Suspense>
      )}
    </>
  )
}

function useWaiting() {
  const shown = useShown()
  const asked = useOffers(notices)
  // Under the first room's name, so that a change there reads it anew.
  const { data = [] } = useQuery({
    queryKey: [asked[0]?.area ?? 'bell', 'bell'],
    enabled: shown && asked.length > 0,
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => (await Promise.all(asked.map(({ read }) => read(signal)))).flat(),
  })
  return data.filter(({ count }) => count > 0)
}
