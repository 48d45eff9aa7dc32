// The toasts on the screen: top right, newest on top, the others behind it until the pointer or the focus is in one, which also makes it stay; fading in and
// out. Errors are announced at once, the rest politely.

import { CloseButton, Portal, Text, Transition } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle, IconMessage, type Icon } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../text.ts'
import { closeToast, holdToast, releaseToast, toastStore, type Toast, type ToastKind } from '../toasts.ts'
import classes from './Toasts.module.css'

const looks: Record<ToastKind, { icon: Icon; tone: string }> = {
  success: { icon: IconCircleCheck, tone: 'good' },
  error: { icon: IconCircleX, tone: 'bad' },
  warning: { icon: IconAlertTriangle, tone: 'warn' },
  info: { icon: IconInfoCircle, tone: 'wait' },
  message: { icon: IconMessage, tone: 'wait' },
}

export function ToastIcon({ kind }: { kind: ToastKind }) {
  const { icon: ToneIcon, tone } = looks[kind]
  return <ToneIcon size={18} stroke={1.8} aria-hidden color={`var(--chancery-${tone})`} style={{ flex: 'none', marginBlockStart: 1 }} />
}

const fade = 120

export function Toasts() {
  const shown = toastStore((state) => state.shown)
  return (
    <Portal>
      <div className={classes['corner']} role="region" aria-label={t('Notices')}>
        <FadingToasts shown={shown} />
      </div>
    </Portal>
  )
}

/** Keeps a closed toast until it has faded. */
function FadingToasts({ shown }: { shown: readonly Toast[] }) {
  const [leaving, setLeaving] = useState<readonly Toast[]>([])
  const [known, setKnown] = useState<readonly Toast[]>(shown)
  if (known !== shown) {
    const gone = known.filter((one) => !shown.includes(one))
    setKnown(shown)
    if (gone.length > 0) setLeaving((before) => [...before, ...gone])
  }
  useEffect(() => {
    if (leaving.length === 0) return
    const timer = setTimeout(() => setLeaving([]), fade)
    return () => clearTimeout(timer)
  }, [leaving])
  const all = [...shown, ...leaving.filter((one) => !shown.includes(one))].toSorted((a, b) => b.id - a.id)
  return all.map((one) => <ToastCard key={one.id} toast={one} visible={shown.includes(one)} />)
}

function ToastCard({ toast, visible }: { toast: Toast; visible: boolean }) {
  const [mounted, setMounted] = useState(false)
  const within = useRef({ pointer: false, focus: false })
  useEffect(() => setMounted(true), [])
  const change = (what: 'pointer' | 'focus', inside: boolean): void => {
    within.current[what] = inside
    if (inside) holdToast(toast.id)
    else if (!within.current.pointer && !within.current.focus) releaseToast(toast)
  }
  return (
    <Transition mounted={mounted && visible} transition="fade" duration={fade}>
      {(style) => (
        <div
          style={style}
          className={classes['toast']}
          role={toast.kind === 'error' ? 'alert' : 'status'}
          onPointerEnter={() => change('pointer', true)}
          onPointerLeave={() => change('pointer', false)}
          onFocus={() => change('focus', true)}
          onBlur={() => change('focus', false)}
        >
          <ToastIcon kind={toast.kind} />
          <div className={classes['words']}>
            <Text span fw={500} inherit me={6}>
              {toast.title}
            </Text>{' '}
            {toast.text !== '' && (
              <Text span size="sm">
                {toast.text}
              </Text>
            )}
          </div>
          <CloseButton size="sm" aria-label={t('Close notice')} onClick={() => closeToast(toast.id)} />
        </div>
      )}
    </Transition>
  )
}
