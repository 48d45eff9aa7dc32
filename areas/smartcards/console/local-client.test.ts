import { afterEach, expect, test, vi } from 'vitest'
import { leaveSession } from '#core/console/leave-session.ts'
import { clientAddresses } from '#core/contract/client-ports.ts'
import { smartcards } from '../contract.ts'
import { connectLocalClient } from './local-client.ts'

afterEach(() => vi.restoreAllMocks())

test('A session that the server has ended sends away the client on this machine, once, where there was one', async () => {
  const asked: string[] = []
  const answers: Readonly<Record<string, unknown>> = {
    [smartcards.calls.ticket.path]: { SessionCookie: 'a' },
    [smartcards.calls.clientConfig.path]: {},
    [smartcards.calls.ping.path]: { success: true },
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
    if (clientAddresses.includes(url.origin)) asked.push(url.pathname)
    return Response.json(answers[url.pathname] ?? {})
  })
  leaveSession({ pathname: '/home', search: '' })
  expect(asked).toEqual([])
  await connectLocalClient()
  leaveSession({ pathname: '/home', search: '' })
  leaveSession({ pathname: '/home', search: '' })
  expect(asked).toEqual(['/version', '/connect', '/KillSession'])
})

test('A client whose first port another program has is found at the next one, and stays there', async () => {
  const asked: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
    if (!clientAddresses.includes(url.origin)) return Response.json(url.pathname === smartcards.calls.ping.path ? { success: true } : {})
    if (url.origin !== clientAddresses[1]) throw new TypeError('Failed to fetch')
    asked.push(url.pathname)
    return Response.json({})
  })
  await connectLocalClient()
  leaveSession({ pathname: '/home', search: '' })
  expect(asked).toEqual(['/version', '/connect', '/KillSession'])
})
