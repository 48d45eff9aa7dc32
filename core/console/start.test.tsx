import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { doors, publicScreens } from 'virtual:contracts'
import { screens } from 'virtual:contracts/console'
import type { Screen } from '#core/contract/contract.ts'
import { answering } from '#core/testing/little-server.ts'
import { bootstrapStore, type Bootstrap } from './bootstrap.ts'
import type { House } from './house.ts'
import { Page } from './kit/Page.tsx'
import { goTo } from './navigate.ts'
import { preloadShell } from './routes.tsx'
import { dispatch } from './send.ts'
import { lazy } from './show.ts'
import { startConsole } from './start.tsx'
import { expectAccessible, testBootstrap } from './testing/render.tsx'

const { viewer: _, ...signedOut } = testBootstrap
const start = async () => {
  const element = document.createElement('div')
  document.body.append(element)
  await act(async () => startConsole({ open: { faces: [], screens: publicScreens }, loadHouse: async () => ({ faces: [], screens }), element, loadBootstrap: async () => (await dispatch(doors.bootstrap, {})) as Bootstrap }))
}

beforeEach(async () => {
  await preloadShell('/login')
  vi.spyOn(console, 'error').mockImplementation(() => {})
  bootstrapStore.setState({ bootstrap: undefined })
  window.history.replaceState(null, '', '/no-such-path')
})
afterEach(() => document.body.replaceChildren())

test('one request tells the console who is there, before anything is shown', async () => {
  const server = await answering({ [`GET ${doors.bootstrap.path}`]: { ...signedOut, signedIn: false } })
  await start()
  expect(await screen.findByRole('heading', { name: 'Page Not Found' }, { timeout: 5000 })).toBeDefined()
  expect(server.asked.map((one) => one.path)).toEqual([doors.bootstrap.path])
})

test('a server that is not there yet is asked again by a button', async () => {
  const server = await answering({})
  await start()
  const again = await screen.findByRole('button', { name: 'Try again' })
  server.answers[`GET ${doors.bootstrap.path}`] = { ...signedOut, signedIn: false }
  await act(async () => again.click())
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Page Not Found' })).toBeDefined(), { timeout: 5000 })
})

test('a browser that lacks duration formatting is told so, and nothing is asked', async () => {
  const server = await answering({})
  const kept = Object.getOwnPropertyDescriptor(Intl, 'DurationFormat')
  Reflect.deleteProperty(Intl, 'DurationFormat')
  try {
    await start()
    expect((await screen.findByRole('alertdialog', { name: 'Your browser is out-of-date' })).textContent).toContain('a current version of Chrome, Firefox, Safari or Edge')
    expect(server.asked).toEqual([])
    await expectAccessible()
  } finally {
    if (kept !== undefined) Object.defineProperty(Intl, 'DurationFormat', kept)
  }
})

test('a page for people who have not signed in does without the console, which comes when they go there', async () => {
  await answering({ [`GET ${doors.bootstrap.path}`]: testBootstrap })
  const at = (name: string, path: string, needs: Screen['needs']): Screen => ({ area: 'tickets', name, path, needs, title: name })
  const [login, home] = [at('Sign in here', '/login', 'public'), at('Tickets', '/home', 'signedIn')]
  const open: House = { faces: [{ area: 'tickets', screens: { 'Sign in here': lazy(async () => ({ Login: () => <Page title="Sign in here">x</Page> })) } }], screens: [login] }
  const whole: House = { faces: [{ area: 'tickets', screens: { ...open.faces[0]?.screens, Tickets: lazy(async () => ({ Home: () => <Page title="Tickets">x</Page> })) } }], screens: [login, home] }
  const loadHouse = vi.fn<() => Promise<House>>(async () => whole)
  window.history.replaceState(null, '', '/login')
  const element = document.createElement('div')
  document.body.append(element)
  await act(async () => startConsole({ open, loadHouse, element, loadBootstrap: async () => (await dispatch(doors.bootstrap, {})) as Bootstrap }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Sign in here' }, { timeout: 5000 })).toBeDefined()
  expect(loadHouse).not.toHaveBeenCalled()
  await act(async () => goTo('/home'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Tickets' }, { timeout: 5000 })).toBeDefined()
  await act(async () => goTo('/no-such-path'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Page Not Found' }, { timeout: 5000 })).toBeDefined()
  expect(loadHouse).toHaveBeenCalledTimes(1)
})
