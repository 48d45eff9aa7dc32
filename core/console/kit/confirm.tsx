// `if (await confirm({ title, consequence, action, keep })) ...`: asks from anywhere, by the one dialog that stands in the shell. The
// dialog itself is loaded when the first question is asked.

import { lazy, Suspense } from 'react'
import { create } from 'zustand'
import { chunkFailed } from '../chunks.ts'
import type { Question } from './ConfirmDialog.tsx'

type Asked = Question & { answer(yes: boolean): void }
const askedStore = create<{ asked: Asked | undefined }>(() => ({ asked: undefined }))

const ConfirmDialog = lazy(() => import('./ConfirmDialog.tsx').then((file) => ({ default: file.ConfirmDialog }), chunkFailed))

/** Asks and waits. A second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  askedStore.getState().asked?.answer(false)
  return new Promise((resolve) => askedStore.setState({ asked: { ...question, answer: resolve } }))
}

/** Stands once around all screens and shows what `confirm` asks. */
export function ConfirmHost() {
  const asked = askedStore((state) => state.asked)
  if (asked === undefined) return null
  const { answer, ...question } = asked
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
