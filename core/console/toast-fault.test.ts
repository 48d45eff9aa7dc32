import { beforeEach, expect, test, vi } from 'vitest'
import { CallFault } from './call-fault.ts'
import { toastFault } from './toast-fault.ts'
import { clearToasts, toastStore } from './toasts.ts'

const shown = () => toastStore.getState().shown.map(({ kind, title, text }) => [kind, title, text])
const fault = (code: string, status: number, title = '') =>
  new CallFault({ code, says: 'It is used by a template', title, transport: 'bad_request', status })

beforeEach(clearToasts)

test('a failure is said with its reason, below the screen’s title or the call’s', () => {
  toastFault(fault('in_use', 409, 'The rule was not saved'), 'The rule was not deleted')
  toastFault(fault('in_use', 409, 'The rule was not saved'))
  toastFault(fault('in_use', 409))
  expect(shown().toReversed()).toEqual([
    ['error', 'The rule was not deleted', 'It is used by a template'],
    ['error', 'The rule was not saved', 'It is used by a template'],
    ['error', 'It is used by a template', ''],
  ])
})

test.each([
  ['too_many_requests', 429],
  ['audit_failed', 503],
  ['not_logged_in', 401],
  ['payment_required', 402],
  ['other_tenancy', 409],
  ['cancelled', 0],
])('what the console says once for all of its screens, or nobody wants to hear, is not said again: %s', (code, status) => {
  toastFault(fault(code, status), 'The rule was not deleted')
  expect(shown()).toEqual([])
})

test('what went wrong in the page itself is said without its words, which are for the browser’s console', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const error = new TypeError('x is undefined')
  toastFault(error, 'The rule was not deleted')
  expect(shown()).toEqual([['error', 'The rule was not deleted', 'An unexpected error occurred']])
  expect(log).toHaveBeenCalledWith('The rule was not deleted', error)
})
