// "Renew now": a button. What it asks is loaded when it is reached for, as the button stands on the home page, too.

import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import { t } from '#core/console/text.ts'
import type { RenewalInfo } from '../contract.ts'

const load = () => import('./RenewDialog.tsx')
const RenewDialog = lazy(() => load().then((file) => ({ default: file.RenewDialog }), chunkFailed))

export function RenewNow({ info }: { info: RenewalInfo }) {
  const [asked, setAsked] = useState<'never' | 'now' | 'before'>('never')
  const early = info.step === 'early'
  const failed = info.attempts.some(({ state }) => state === 'refused' || state === 'failed')
  const ahead = () => void load().catch(() => {})
  return (
    <>
      <Button
        variant={early ? 'default' : 'filled'}
        leftSection={<IconRefresh size={16} stroke={1.8} aria-hidden />}
        onPointerEnter={ahead}
        onFocus={ahead}
        onClick={() => setAsked('now')}
      >
        {early ? t('Renew early') : failed ? t('Try again now') : t('Renew now')}
      </Button>
      {asked !== 'never' && (
        <Suspense>
          <RenewDialog info={info} opened={asked === 'now'} close={() => setAsked('before')} />
        </Suspense>
      )}
    </>
  )
}
