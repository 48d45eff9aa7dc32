// The palette from the moment that its keys are pressed: until its file is there and holds the focus, a field in its place takes what is typed, so that
// no letter is lost. When it closes, the focus goes back to where it was.

import { IconSearch } from '@tabler/icons-react'
import { Suspense, lazy, useEffect, useState } from 'react'
import { chunkFailed } from '../chunks.ts'
import { t } from '../text.ts'
import classes from './PaletteDoor.module.css'

const Palette = lazy(() => import('./Palette.tsx').then((file) => ({ default: file.Palette }), chunkFailed))

type DoorProps = { onClose: () => void; onHelp: (area?: string) => void; onKeys: () => void }

export function PaletteDoor({ onClose, onHelp, onKeys }: DoorProps) {
  const [text, setText] = useState('')
  const [entered, setEntered] = useState(false)
  const [there, setThere] = useState(false)
  useFocusBack()
  return (
    <>
      {!there && (
        <div role="dialog" aria-modal aria-label={t('Search or jump to...')} className={classes['door']}>
          <IconSearch size={18} stroke={1.8} aria-hidden className={classes['sign']} />
          <input
            autoFocus
            className={classes['field']}
            aria-label={t('Search or jump to...')}
            placeholder={t('Search or jump to...')}
            value={text}
            maxLength={20_000}
            onChange={(event) => setText(event.currentTarget.value)}
            // A field of one line would drop the line breaks.
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text')
              if (!pasted.includes('-----BEGIN')) return
              event.preventDefault()
              setText(pasted)
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose()
              if (event.key === 'Enter') setEntered(true)
            }}
          />
        </div>
      )}
      <Suspense>
        <Palette
          text={text}
          onText={setText}
          entered={entered}
          onThere={() => setThere(true)}
          onClose={onClose}
          onHelp={onHelp}
          onKeys={onKeys}
        />
      </Suspense>
    </>
  )
}

/** Unless what was chosen has taken it. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus({ preventScroll: true })
    },
    [before],
  )
}
