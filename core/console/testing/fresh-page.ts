// Opens a new page for a test file. The files of a worker share one window and one set of modules, as screens in one tab do: what a file left
// there would be found by the next.

import { vi } from 'vitest'
import type { StoreApi } from 'zustand'
import { bootstrapStore } from '../bootstrap.ts'
import { paymentStore } from '../global-faults.ts'
import { forgetDrafts } from '../kit/form-drafts.ts'
import { focusState } from '../kit/page-focus.ts'
import { forgetFault } from '../last-fault.ts'
import { forgetReadings, noteEnding } from '../leave-session.ts'
import { navigationStore } from '../navigate.ts'
import { preferencesStore } from '../preferences.ts'
import { answerProof } from '../proof.ts'
import { publicBrandStore } from '../public-brand.ts'
import { releaseAnswers } from '../queries.ts'
import { roomsStore } from '../rooms.ts'
import { sessionStore } from '../session.ts'
import { setLocale } from '../text.ts'
import { clearToasts } from '../toasts.ts'

/** Read before any file leads it elsewhere. */
const { fetch } = globalThis

/** What listens to a store outside React, as a room that follows the person does: it would go on in every file after the one that read it. */
const listening: (() => void)[] = []
keepListeners(bootstrapStore)
keepListeners(preferencesStore)

function keepListeners<T>(store: Pick<StoreApi<T>, 'subscribe'>): void {
  const { subscribe } = store
  store.subscribe = (listener) => {
    const end = subscribe(listener)
    listening.push(end)
    return end
  }
}

export function openFreshPage(): void {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  globalThis.fetch = fetch
  forgetReadings()
  forgetDrafts()
  forgetFault()
  focusState.loaded()
  releaseAnswers()
  answerProof(false)
  noteEnding(false)
  clearToasts()
  setLocale('en-GB')
  begin(bootstrapStore)
  begin(navigationStore)
  begin(paymentStore)
  begin(preferencesStore)
  begin(publicBrandStore)
  begin(roomsStore)
  begin(sessionStore)
  for (const end of listening.splice(0)) end()
  emptyDocument()
}

function begin<T>(store: StoreApi<T>): void {
  store.setState(store.getInitialState(), true)
}

function emptyDocument(): void {
  document.body.replaceChildren()
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name)
  document.title = ''
  window.history.replaceState(null, '', '/')
  for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; expires=${new Date(0).toUTCString()}`
  localStorage.clear()
  sessionStorage.clear()
}
