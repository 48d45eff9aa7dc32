// The way to another screen for code that stands outside the tree: the router is set when the console starts.

import { create } from 'zustand'
import { readOwnPath } from '#core/contract/own-path.ts'

type Go = (path: string, options?: { replace?: boolean }) => void

export const navigationStore = create<{ go: Go; leaving: boolean }>(() => ({ go: (path) => location.assign(path), leaving: false }))

export const goTo: Go = (path, options) => navigationStore.getState().go(path, options)

/** Goes without asking about unsaved changes: the session has ended, and what was typed is kept in memory. */
export function leaveTo(path: string): void {
  navigationStore.setState({ leaving: true })
  try {
    goTo(path, { replace: true })
  } finally {
    navigationStore.setState({ leaving: false })
  }
}

/** A path of our own that a link may name: never another origin. */
export const ownPath = (path: string | null | undefined, otherwise = '/home'): string => readOwnPath(path ?? '') ?? otherwise
