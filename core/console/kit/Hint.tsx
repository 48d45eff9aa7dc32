// What a button or a short text means, beside it, while the pointer or the keyboard is on it. The bubble, and the library that places it, are
// loaded when the first one is asked for; until then a hint is a few listeners.

import { lazy, Suspense, useEffect, useState, type FocusEvent, type PointerEvent, type ReactNode } from 'react'
import { chunkFailed } from '../chunks.ts'

const load = () => import('./HintBubble.tsx')
const HintBubble = lazy(() => load().then((file) => ({ default: file.HintBubble }), chunkFailed))

export type HintProps = {
  /** A function where the words are work: they are wanted when the hint shows, and most never do. */
  label: string | (() => string)
  position?: 'top' | 'right'
  /** Milliseconds that the pointer rests before the hint shows. */
  delay?: number
  disabled?: boolean
  /** One element. */
  children: ReactNode
}

export function Hint({ label, position = 'top', delay = 0, disabled = false, children }: HintProps) {
  // Known from the first time that somebody reaches for it: told when it is drawn, all that have a hint would be drawn twice before they show.
  const [place, setPlace] = useState<HTMLElement>()
  const [reached, setReached] = useState<'pointer' | 'keyboard'>()
  const [shown, setShown] = useState(false)
  const [used, setUsed] = useState(false)
  useEffect(() => {
    if (reached === undefined) return setShown(false)
    const timer = setTimeout(
      () => {
        setUsed(true)
        setShown(true)
      },
      reached === 'pointer' ? delay : 0,
    )
    return () => clearTimeout(timer)
  }, [reached, delay])
  useEffect(() => {
    if (!shown) return
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setReached(undefined)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [shown])
  const reach = (by: 'pointer' | 'keyboard', at: HTMLElement): void => {
    setPlace(at)
    setReached(by)
  }
  const element = place?.firstElementChild
  return (
    // Takes no part in the layout: what it surrounds stands as if it were alone.
    <span
      style={{ display: 'contents' }}
      onPointerEnter={(event: PointerEvent<HTMLElement>) => event.pointerType !== 'touch' && reach('pointer', event.currentTarget)}
      onPointerLeave={() => setReached(undefined)}
      onPointerDown={() => setReached(undefined)}
      onFocus={(event: FocusEvent<HTMLElement>) => event.target.matches(':focus-visible') && reach('keyboard', event.currentTarget)}
      onBlur={() => setReached(undefined)}
    >
      {children}
      {used && element instanceof HTMLElement && (
        <Suspense>
          <HintBubble at={element} label={typeof label === 'string' ? label : label()} position={position} shown={shown && !disabled} />
        </Suspense>
      )}
    </span>
  )
}
