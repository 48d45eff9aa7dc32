// The toasts on the screen: newest on top, the others behind it until the pointer or the focus is in one, which also makes it stay; fading in and out. Errors are
// announced at once, the rest politely.

import { CloseButton, Portal, Text, Transition } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle, IconMessage, type Icon } from '@tabler/icons-react'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { t } from '../text.ts'
import { closeToast, holdToast, releaseToast, toastStore, type Toast, type ToastKind } from '../toasts.ts'
import { clearPlace, edges, pressable } from './clear-place.ts'
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
  const corner = useRef<HTMLDivElement>(null)
  usePlace(corner, shown)
  return (
    <Portal>
      <div className={classes['corner']} role="region" aria-label={t('Notices')} ref={corner}>
        <FadingToasts shown={shown} />
      </div>
    </Portal>
  )
}

/** As in the style sheet. */
const narrow = '(max-width: 1200px)'

/** A place that hides nothing; looked for anew when a toast comes and when the page has moved below it. */
function usePlace(corner: RefObject<HTMLDivElement | null>, shown: readonly Toast[]): void {
  const edge = useMediaQuery(narrow) === true ? 'bottom' : 'top'
  const any = shown.length > 0
  useLayoutEffect(() => {
    if (!any) return
    let stands: number | undefined
    let frame = 0
    const place = () => {
      const box = corner.current
      // While it is pointed at it stays where it is, and in full height.
      if (box === null || box.matches(':hover, :focus-within')) return
      stands = clearPlace(box.offsetHeight, innerHeight, pressable(box, edge), edges[edge], stands)
      box.style.setProperty('--away', `${stands}px`)
    }
    const placeSoon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(place)
    }
    place()
    // The toast itself is drawn a moment later, and so is the page that its answer leads to.
    const changes = new MutationObserver(placeSoon)
    changes.observe(document.body, { childList: true, subtree: true })
    for (const name of ['scrollend', 'resize']) addEventListener(name, placeSoon)
    return () => {
      cancelAnimationFrame(frame)
      changes.disconnect()
      for (const name of ['scrollend', 'resize']) removeEventListener(name, placeSoon)
    }
  }, [any, edge, shown, corner])
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
