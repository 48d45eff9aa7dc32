import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ChunkError, chunkFailed } from './chunks.ts'
import { ownPath } from './navigate.ts'
import { preferencesKey, preferencesStore, readPreferences, startPreferences, togglePinned, visited } from './preferences.ts'
import { saveFile } from './save-file.ts'
import { lacksFeatures } from './screens/BrowserOutdated.tsx'
import { errorLog } from './screens/error-log.ts'
import { socketAddress } from './stream.ts'

beforeEach(() => localStorage.clear())

describe('at the start', () => {
  test('local storage keeps the person’s settings and nothing else', () => {
    localStorage.setItem('stray', 'x')
    localStorage.setItem(preferencesKey, JSON.stringify({ theme: 'dark', pinned: [{ path: '/home', label: 'Home' }] }))
    startPreferences()
    expect(Object.keys(localStorage)).toEqual([preferencesKey])
    expect(preferencesStore.getState()).toMatchObject({ theme: 'dark', locale: 'en-GB', pinned: [{ path: '/home', label: 'Home' }] })
  })

  test.each(['', 'not json', '[]', 'null', '{"theme":"pink","locale":"xx","lists":[],"recent":3}'])(
    'settings like %j are as good as none',
    (text) => {
      expect(readPreferences(text)).toEqual(readPreferences(null))
    },
  )

  test('a changed setting is kept at once', () => {
    startPreferences()
    togglePinned({ path: '/a', label: 'A' })
    expect(localStorage.getItem(preferencesKey)).toContain('"pinned":[{"path":"/a","label":"A"}]')
    togglePinned({ path: '/a', label: 'A' })
    expect(preferencesStore.getState().pinned).toEqual([])
  })

  test('recent places are the last eight, newest first, each once', () => {
    startPreferences()
    for (const name of 'abcdefghija') visited(`/${name}`, name)
    expect(
      preferencesStore
        .getState()
        .recent.map((place) => place.label)
        .join(''),
    ).toBe('ajihgfed')
  })

  test('a browser without duration formatting or URL parsing is out of date', () => {
    expect(lacksFeatures({ DurationFormat: class {} }, { parse: () => null })).toBe(false)
    expect(lacksFeatures({}, { parse: () => null })).toBe(true)
    expect(lacksFeatures({ DurationFormat: class {} }, {})).toBe(true)
  })
})

describe('a chunk that does not load', () => {
  const place = (stored: string | null, now = 1_000_000) => {
    const reloads: string[] = []
    let value = stored
    return {
      reloads,
      storage: { getItem: () => value, setItem: (_key: string, text: string) => void (value = text) },
      reload: () => void reloads.push('reload'),
      now: () => now,
    }
  }

  test('reloads the page once', () => {
    const page = place(null)
    void chunkFailed(new Error('gone'), page)
    expect(page.reloads).toEqual(['reload'])
  })

  test('fails where the page has just been reloaded for it', () => {
    const page = place('999000')
    expect(() => chunkFailed(new Error('gone'), page)).toThrow(ChunkError)
    expect(page.reloads).toEqual([])
  })
})

test('a redirect leads to our own screens only', () => {
  expect(ownPath('/support/ticket/1?x=1#a')).toBe('/support/ticket/1?x=1#a')
  for (const hostile of ['https://evil.example', '//evil.example', '/.//evil.example', '/\\evil.example', 'javascript:alert(1)', '', null])
    expect(ownPath(hostile)).toBe('/home')
})

test('an error log holds message, stack, cause, user agent, time and location', () => {
  const error = new Error('The screen failed', { cause: new Error('No row', { cause: 'timeout' }) })
  const log = errorLog(error, { userAgent: 'Tester/1', time: new Date('2026-03-31T09:00:00Z'), location: 'https://own/home' })
  expect(log.split('\n').slice(0, 6)).toEqual([
    'Message: Error: The screen failed',
    'Time: 2026-03-31T09:00:00.000Z',
    'Location: https://own/home',
    'User agent: Tester/1',
    'Cause: Error: No row',
    '  caused by timeout',
  ])
  expect(log).toContain('start-parts.test.ts')
})

test('a saved file’s object URL is given back after 40 seconds', () => {
  vi.useFakeTimers()
  const given: string[] = []
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: (address: string) => void given.push(address) })
  HTMLAnchorElement.prototype.click = () => {}
  saveFile(new Blob(['x']), 'x.txt')
  vi.advanceTimersByTime(39_999)
  expect(given).toEqual([])
  vi.advanceTimersByTime(1)
  expect(given).toEqual(['blob:x'])
  vi.useRealTimers()
})

test('a stream’s address is the page’s own host', () => {
  expect(socketAddress('/api2/x', { protocol: 'https:', host: 'own.example' })).toBe('wss://own.example/api2/x')
  expect(socketAddress('/api2/x', { protocol: 'http:', host: 'localhost:8080' })).toBe('ws://localhost:8080/api2/x')
})
