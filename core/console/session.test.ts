import { doors } from 'virtual:contracts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answering, type Answer, type LittleServer } from '#core/testing/little-server.ts'
import { bootstrapStore } from './bootstrap.ts'
import { leaveSession, loginPath, onLeave } from './leave-session.ts'
import { navigationStore } from './navigate.ts'
import { queryClient } from './query-client.ts'
import {
  endSession,
  enterConsole,
  ExpiredCookieError,
  pollSeconds,
  sessionExpiry,
  sessionStore,
  signOut,
  startSession,
  stayFor,
  warningMilliseconds,
} from './session.ts'
import { testBootstrap } from './testing/render.tsx'

const now = Date.parse('2026-03-31T09:00:00Z')
const went: string[] = []

beforeEach(() => {
  went.length = 0
  navigationStore.setState({ go: (path) => void went.push(path) })
  bootstrapStore.setState({ bootstrap: testBootstrap, load: async () => testBootstrap })
  window.history.replaceState(null, '', '/support/tickets?page=2')
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

describe('the session’s time', () => {
  test('comes from the cookie, as ISO 8601 or milliseconds', () => {
    expect(sessionExpiry('a=1; session-expiry=2026-03-31T09%3A30%3A00Z', now)).toBe(now + 1_800_000)
    expect(sessionExpiry(`session-expiry=${now + 60_000}`, now)).toBe(now + 60_000)
  })

  test('is 90 seconds where the cookie does not say', () => {
    expect(sessionExpiry('', now)).toBe(now + 90_000)
    expect(sessionExpiry('session-expiry=soon', now)).toBe(now + 90_000)
  })

  test('in the past is an expired cookie', () => {
    expect(() => sessionExpiry('session-expiry=2026-03-31T08:59:59Z', now)).toThrow(ExpiredCookieError)
  })

  test.each([
    [90_000, 45],
    [1_800_000, 90],
    [500, 1],
    [20_000, 10],
  ])('of %i ms is polled every %i seconds', (timeout, seconds) => {
    expect(pollSeconds(timeout)).toBe(seconds)
  })

  test('is warned of in its last third, at most two minutes before the end', () => {
    expect([warningMilliseconds(90_000), warningMilliseconds(1_800_000)]).toEqual([30_000, 120_000])
  })
})

describe('while signed in', () => {
  let stop = (): void => {}
  let server: LittleServer
  const names = () => server.asked.map((one) => one.path.split('/').at(-1))
  const expireIn = (milliseconds: number) => {
    document.cookie = `session-expiry=${new Date(Date.now() + milliseconds).toISOString()}`
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
    document.cookie = 'session-expiry=; expires=Thu, 01 Jan 1970 00:00:00 GMT'
  })
  const serve = async (answer: () => Answer = () => ({ body: {} })) => {
    server = await answering({
      [`POST ${doors.checkSession.path}`]: answer,
      [`POST ${doors.refreshSession.path}`]: () => (expireIn(3000), answer()),
    })
  }

  test('somebody active has the session refreshed, somebody idle only checked', async () => {
    await serve()
    expireIn(3000)
    stop = startSession()
    window.dispatchEvent(new Event('pointermove'))
    await pass(1499)
    expect(names()).toEqual([])
    await pass(1)
    await expect.poll(() => sessionStore.getState().endsAt).toBe(Date.now() + 3000)
    expect(names()).toEqual(['refresh-session'])
    await pass(1500)
    await expect.poll(names).toEqual(['refresh-session', 'check-session'])
  })

  test('a refused check signs out and remembers the place', async () => {
    await serve(() => ({ status: 401, body: { code: 'not_logged_in', message: 'x' } }))
    expireIn(2000)
    stop = startSession()
    await pass(1000)
    await expect.poll(() => went).toEqual(['/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2'])
    expect(bootstrapStore.getState().bootstrap?.viewer).toBeUndefined()
  })

  test('the end is announced, and “Stay signed in” moves it', async () => {
    await serve()
    expireIn(2400)
    stop = startSession()
    await pass(1500)
    await expect.poll(names).toEqual(['check-session'])
    expect(sessionStore.getState().warning).toBe(false)
    await pass(500)
    expect(sessionStore.getState().warning).toBe(true)
    await stayFor()
    expect(sessionStore.getState().warning).toBe(false)
    expect(names().at(-1)).toBe('refresh-session')
  })

  test('a cookie that is already past signs out', async () => {
    await serve()
    expireIn(-1000)
    document.cookie = `session-expiry=${Date.now() - 1000}`
    stop = startSession()
    expect(went).toEqual(['/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2'])
  })
})

test('signing out calls both logouts in order and forgets everything read', async () => {
  const server = await answering({ [`POST ${doors.legacyLogout.path}`]: {}, [`POST ${doors.logout.path}`]: {} })
  const cleared: string[] = []
  onLeave(() => void cleared.push('cards'))
  queryClient.setQueryData(['tickets', 'search'], [1])
  await signOut()
  expect(server.asked.map((one) => one.path)).toEqual(['/api/logout', '/api2/Authentication-v1/logout'])
  expect(queryClient.getQueryData(['tickets', 'search'])).toBeUndefined()
  expect(cleared).toEqual(['cards'])
  expect(went).toEqual(['/login'])
})

test('signing out of a server that cannot be reached keeps nobody', async () => {
  await answering({})
  await signOut()
  expect(went).toEqual(['/login'])
})

test('what is refused while a person ends every session leads them to the sign-in page alone, not back here', async () => {
  bootstrapStore.setState({ load: async () => ({ ...testBootstrap, signedIn: false }) })
  await endSession(async () => leaveSession(location))
  leaveSession(location)
  expect(new Set(went)).toEqual(new Set(['/login']))
  expect(loginPath(location)).toBe('/login')
  await enterConsole()
  expect(loginPath(location)).toBe('/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2')
})

test('a session that could not be ended goes on, and its end leads back here', async () => {
  await expect(endSession(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  expect(went).toEqual([])
  leaveSession(location)
  expect(went).toEqual(['/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2'])
})

test('after a sign-in the person comes to where they wanted, never to another origin', async () => {
  await enterConsole('/support/tickets?page=2')
  await enterConsole('https://evil.example/')
  expect(went).toEqual(['/support/tickets?page=2', '/home'])
})
