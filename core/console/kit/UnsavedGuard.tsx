// Asks before unsaved changes are lost, inside the console and when the tab closes.

import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-router'
import { navigationStore } from '../navigate.ts'
import { t } from '../text.ts'
import { confirm } from './confirm.tsx'

export function UnsavedGuard({ dirty }: { dirty: () => boolean }) {
  const asks = useRef(dirty)
  asks.current = dirty
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && !navigationStore.getState().leaving && asks.current(),
  )

  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void confirm({
      title: t('Leave without saving?'),
      consequence: t('What you changed on this page has not been saved and would be lost.'),
      action: t('Leave page'),
      keep: t('Stay on this page'),
    }).then((leave) => (leave ? blocker.proceed() : blocker.reset()))
  }, [blocker])

  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (asks.current()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return null
}
