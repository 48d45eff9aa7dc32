import { beforeEach, expect, test } from 'vitest'
import { CallFault } from './call-fault.ts'
import { clearToasts, toastStore } from './toasts.ts'
import { watchErrors } from './watch-errors.ts'

type Listener = (event: { error?: unknown; reason?: unknown }) => void
const listeners: Record<string, Listener> = {}
const page = {
  addEventListener: (name: string, listener: Listener) => void (listeners[name] = listener),
  removeEventListener: (name: string) => void delete listeners[name],
}

beforeEach(() => {
  clearToasts()
  watchErrors(page as Pick<Window, 'addEventListener' | 'removeEventListener'>)
})
const shown = () => toastStore.getState().shown.map(({ kind, title, text }) => [kind, title, text])

test('an error in an event is said, and stays until it is closed', () => {
  listeners['error']?.({ error: new Error('An event error, on request') })
  expect(shown()).toEqual([['message', 'An unexpected error occurred', 'An event error, on request']])
})

test('a promise that nobody caught is said', () => {
  listeners['unhandledrejection']?.({ reason: new Error('An async error, on request') })
  expect(shown()).toEqual([['message', 'An unexpected error occurred', 'An async error, on request']])
})

test('a call that failed without a place for its fault says what the contract says', () => {
  listeners['unhandledrejection']?.({
    reason: new CallFault({
      code: 'conflict',
      says: 'Somebody changed this',
      title: 'The role was not saved',
      transport: 'bad_request',
      status: 409,
    }),
  })
  expect(shown()).toEqual([['error', 'The role was not saved', 'Somebody changed this']])
})

test('a call that was called off, or whose failure was said for the whole console, says nothing', () => {
  for (const [code, status] of [
    ['cancelled', 0],
    ['not_logged_in', 401],
    ['too_many_requests', 429],
  ] as const)
    listeners['unhandledrejection']?.({ reason: new CallFault({ code, says: 'x', transport: 'bad_request', status }) })
  listeners['error']?.({ error: null })
  expect(shown()).toEqual([])
})
