import { beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { bootstrapStore } from './bootstrap.ts'
import { CallFault } from './call-fault.ts'
import { paymentStore } from './global-faults.ts'
import { navigationStore } from './navigate.ts'
import { askForFile } from './send-file.ts'
import { addressed, send } from './send.ts'
import { testViewer } from './testing/render.tsx'
import { clearToasts, toastStore } from './toasts.ts'

const tickets = contract({
  area: 'tickets',
  title: 'Tickets',
  calls: {
    get: {
      does: 'Get.',
      method: 'GET',
      path: '/api2/T/Ticket/:id',
      needs: 'ticketView',
      input: z.object({ id: z.string(), with: z.array(z.string()).optional() }),
      output: z.object({ title: z.string() }),
    },
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/api2/T/Ticket',
      needs: 'ticketAdd',
      input: z.object({ title: z.string() }),
      output: z.object({ id: z.string() }),
      failed: 'The ticket was not created',
      faults: { tooMany: { status: 409, says: 'You have {count, plural, one {# open ticket} other {# open tickets}}' } },
    },
  },
})

const failure = async (promise: Promise<unknown>): Promise<CallFault> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof CallFault)) throw new Error('No CallFault was thrown')
  return error
}
/** An answer that does not come. */
const never = new Promise<never>(() => {})
const answer = (status: number, body: unknown) => answering({ 'POST /api2/T/Ticket': () => ({ status, body }) })

beforeEach(() => {
  clearToasts()
  paymentStore.setState({ open: false, says: '' })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  document.cookie = 'XSRF-TOKEN=abc%2Fdef'
  window.history.replaceState(null, '', '/home?tab=work')
})

describe('a call', () => {
  test('takes path parameters out of the input and puts the rest of a GET into the query', () => {
    expect(addressed(tickets.calls.get, { id: 'a/b', with: ['x', 'y'] })).toEqual({
      path: '/api2/T/Ticket/a%2Fb?with=x&with=y',
      body: undefined,
    })
  })

  test('sends JSON with the anti-forgery header and the form’s idempotency key', async () => {
    const server = await answering({ 'POST /api2/T/Ticket': { id: '7' } })
    expect(await send(tickets.calls.add, { title: 'Printer' }, { idempotencyKey: 'key-1' })).toEqual({ id: '7' })
    const [asked] = server.asked
    expect(asked?.body).toEqual({ title: 'Printer' })
    expect(asked?.headers).toMatchObject({ 'x-xsrf-token': 'abc/def', 'idempotency-key': 'key-1', 'content-type': 'application/json' })
  })

  test('sends the anti-forgery header also where it only reads', async () => {
    const server = await answering({ 'GET /api2/T/Ticket/7': { title: 'Printer' } })
    await send(tickets.calls.get, { id: '7' })
    expect(server.asked[0]?.headers).toMatchObject({ 'x-xsrf-token': 'abc/def' })
  })

  test('says which tenancy this page shows, and a refusal because of it asks to reload', async () => {
    const before = bootstrapStore.getState()
    const server = await answering({ 'POST /api2/T/Ticket': { id: '7' } })
    await send(tickets.calls.add, { title: 'Printer' })
    expect(server.asked[0]?.headers).not.toHaveProperty('x-chancery-tenancy')
    bootstrapStore.setState({
      bootstrap: {
        signedIn: true,
        viewer: testViewer,
        tenancy: { name: 'T', supportEmail: '', salesEmail: '' },
        version: '1',
        setupNeeded: false,
      },
    })
    await send(tickets.calls.add, { title: 'Printer' })
    expect(server.asked[1]?.headers).toMatchObject({ 'x-chancery-tenancy': testViewer.tenantId })
    server.answers['GET /api2/T/Export'] = {}
    await askForFile('/api2/T/Export')
    expect(server.asked[2]?.headers).toMatchObject({ 'x-chancery-tenancy': testViewer.tenantId, 'x-xsrf-token': 'abc/def' })
    await answer(409, { code: 'other_tenancy', message: 'x' })
    expect((await failure(send(tickets.calls.add, { title: 'a' }))).code).toBe('other_tenancy')
    expect(toastStore.getState().shown).toMatchObject([{ kind: 'message', text: expect.stringContaining('Reload the page') }])
    bootstrapStore.setState(before)
  })

  test('sends credentials', async () => {
    await answering({ 'POST /api2/T/Ticket': { id: '7' } })
    const spy = vi.spyOn(globalThis, 'fetch')
    await send(tickets.calls.add, { title: 'Printer' })
    expect(spy.mock.calls[0]?.[1]?.credentials).toBe('include')
  })
})

describe('a failed call', () => {
  test('speaks the contract’s text with its parameters, title, fields and reference', async () => {
    await answer(409, {
      code: 'tooMany',
      message: 'x',
      params: { count: 3 },
      fields: [{ field: 'title', says: 'Too long' }],
      reference: 'r-1',
    })
    const fault = await failure(send(tickets.calls.add, { title: 'a' }))
    expect(fault).toMatchObject({
      code: 'tooMany',
      says: 'You have 3 open tickets',
      title: 'The ticket was not created',
      status: 409,
      reference: 'r-1',
      transport: 'bad_request',
    })
    expect(fault.fields).toEqual([{ field: 'title', says: 'Too long' }])
  })

  test.each([
    [304, 'bad_request'],
    [400, 'bad_request'],
    [404, 'bad_request'],
    [500, 'bad_response'],
    [502, 'bad_response'],
  ])('with status %i and no body is a %s', async (status, code) => {
    await answering({ 'POST /api2/T/Ticket': () => ({ status }) })
    expect(await failure(send(tickets.calls.add, { title: 'a' }))).toMatchObject({ code, status, says: 'An unexpected error occurred' })
  })

  test('that cannot reach the server is a network error', async () => {
    await answering({})
    leadFetchTo('http://127.0.0.1:9')
    expect(await failure(send(tickets.calls.add, { title: 'a' }))).toMatchObject({ code: 'network_error', status: 0 })
  })

  test('that takes too long is a timeout', async () => {
    await answering({ 'POST /api2/T/Ticket': () => never })
    expect(await failure(send(tickets.calls.add, { title: 'a' }, { timeoutMilliseconds: 60 }))).toMatchObject({ code: 'timeout' })
  })

  test('whose connection breaks during the answer is aborted', async () => {
    await answering({ 'POST /api2/T/Ticket': () => ({ breakOff: true }) })
    expect(await failure(send(tickets.calls.add, { title: 'a' }))).toMatchObject({ code: 'aborted' })
  })

  test('whose answer is not JSON is a bad response', async () => {
    await answering({ 'POST /api2/T/Ticket': () => ({ text: '<html>' }) })
    expect(await failure(send(tickets.calls.add, { title: 'a' }))).toMatchObject({ code: 'bad_response' })
  })

  test('that was called off is cancelled, and not logged', async () => {
    await answering({ 'POST /api2/T/Ticket': () => never })
    const stop = new AbortController()
    const sent = failure(send(tickets.calls.add, { title: 'a' }, { signal: stop.signal }))
    stop.abort()
    expect(await sent).toMatchObject({ code: 'cancelled' })
    expect(console.error).not.toHaveBeenCalled()
  })

  test('is logged to the browser’s console', async () => {
    await answer(409, { code: 'conflict', message: 'x' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(vi.mocked(console.error).mock.calls[0]?.[0]).toBe('tickets.add: conflict 409')
  })
})

describe('handled once for the whole console', () => {
  test('401 not_logged_in leads to the sign-in page and back', async () => {
    const went: string[] = []
    navigationStore.setState({ go: (path) => void went.push(path) })
    await answer(401, { code: 'not_logged_in', message: 'x' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(went).toEqual(['/login?redirect=%2Fhome%3Ftab%3Dwork'])
  })

  test('so it does from a download', async () => {
    const went: string[] = []
    navigationStore.setState({ go: (path) => void went.push(path) })
    await answering({ 'POST /api2/T/Export': () => ({ status: 401, body: { code: 'not_logged_in', message: 'x' } }) })
    await failure(askForFile('/api2/T/Export', { body: { selectAll: true } }))
    expect(went).toEqual(['/login?redirect=%2Fhome%3Ftab%3Dwork'])
    expect(console.error).toHaveBeenCalledTimes(1)
  })

  test.each(['/login', '/Login/', '/anonymousportal', '/activateaccount/abc', '/bootstrapmode'])('401 on %s stays there', async (path) => {
    const went: string[] = []
    navigationStore.setState({ go: (to) => void went.push(to) })
    window.history.replaceState(null, '', path)
    await answer(401, { code: 'not_logged_in', message: 'x' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(went).toEqual([])
  })

  test('402 opens the payment window', async () => {
    await answer(402, { code: 'payment_required', message: 'x' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(paymentStore.getState()).toEqual({ open: true, says: 'A payment method is needed for this' })
  })

  test('429 asks to slow down', async () => {
    await answer(429, { code: 'too_many_requests', message: 'Too Many Requests' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(toastStore.getState().shown).toMatchObject([
      { title: 'Too Many Requests', text: "You're making too many requests too quickly! Please slow down." },
    ])
  })

  test('503 of the audit says that nothing works without it', async () => {
    await answer(503, { code: 'audit_failed', message: 'Audit failed' })
    await failure(send(tickets.calls.add, { title: 'a' }))
    expect(toastStore.getState().shown).toMatchObject([
      { title: 'Audit Offline', text: 'Chancery cannot operate without Audit functionality' },
    ])
  })
})
