// Proves anew who the person is, where a call was refused for want of it: the shell shows the dialog that a room offers, and the call is sent again.

import { create } from 'zustand'
import { offersTo } from './rooms.ts'
import { proofDialogs } from './slots.ts'

export const proofStore = create<{ asked: boolean }>(() => ({ asked: false }))

let waiting: ((proved: boolean) => void)[] = []

/** Asks once for all calls that wait. False where the person gives up, or nothing can ask. */
export function askForProof(): Promise<boolean> {
  if (offersTo(proofDialogs).length === 0) return Promise.resolve(false)
  const answer = new Promise<boolean>((resolve) => void waiting.push(resolve))
  proofStore.setState({ asked: true })
  return answer
}

export function answerProof(proved: boolean): void {
  proofStore.setState({ asked: false })
  const all = waiting
  waiting = []
  for (const resolve of all) resolve(proved)
}
