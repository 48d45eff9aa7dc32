// `if (await confirm({ title, consequence, action, keep })) ...`: asks from anywhere, by the one dialog that stands in the shell. The
// dialog itself is loaded when the first question is asked.

import { lazy, Suspense, useEffect } from 'react'
import { create } from 'zustand'
import { chunkFailed } from '../chunks.ts'
import type { Question } from './ConfirmDialog.tsx'

type Asked = Question & { answer(yes: boolean): void; from: Element | null }
const askedStore = create<{ asked: Asked | undefined }>(() => ({ asked: undefined }))

const ConfirmDialog = lazy(() => import('./ConfirmDialog.tsx').then((file) => ({ default: file.ConfirmDialog }), chunkFailed))

/** Asks and waits. A second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  askedStore.getState().asked?.answer(false)
  return new Promise((resolve) => askedStore.setState({ asked: { ...question, answer: resolve, from: document.activeElement } }))
}

/** Stands once around all screens and shows what `confirm` asks. */
export function ConfirmHost() {
  const asked = askedStore((state) => state.asked)
  useEffect(() => (asked === undefined ? undefined : () => void setTimeout(giveBackFocus, 0, asked.from)), [asked])
  if (asked === undefined) return null
  const { answer, from: _, ...question } = asked
  const close = (yes: boolean) => {
    askedStore.setState({ asked: undefined })
    answer(yes)
  }
  return (
    <Suspense>
      <ConfirmDialog {...question} opened onClose={() => close(false)} onConfirm={() => close(true)} />
    </Suspense>
  )
}

/** To what opened the dialog, where it still stands and nothing else has taken the focus since. */
function giveBackFocus(from: Element | null): void {
  const lost = document.activeElement === null || document.activeElement === document.body
  if (lost && from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true })
}
