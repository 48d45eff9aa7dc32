import { act, screen, waitFor } from '@testing-library/react'
import { doors, publicScreens } from 'virtual:contracts'
import { records, screens } from 'virtual:contracts/console'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { contract, type Screen } from '#core/contract/contract.ts'
import { pageOf, PageQuery } from '#core/contract/shapes.ts'
import { answering } from '#core/testing/little-server.ts'
import { bootstrapStore, type Bootstrap } from './bootstrap.ts'
import { DataTable } from './kit/DataTable.tsx'
import { askForList, useList } from './kit/list.ts'
import { Page } from './kit/Page.tsx'
import { goTo } from './navigate.ts'
import { queryClient } from './query-client.ts'
import type { Rooms } from './rooms.ts'
import { preloadShell } from './routes.tsx'
import { dispatch } from './send.ts'
import { lazy } from './show.ts'
import { startConsole, type Start } from './start.tsx'
import { expectAccessible, testBootstrap } from './testing/render.tsx'

const { viewer: _, ...signedOut } = testBootstrap

/** One that goes on beside the next would draw and ask again with it, as both stand on one cache. */
let end = () => {}
const start = async (rooms: Partial<Pick<Start, 'open' | 'loadRooms'>> = {}) => {
  const element = document.createElement('div')
  document.body.append(element)
  const loadBootstrap = async () => (await dispatch(doors.bootstrap, {})) as Bootstrap
  await act(async () => {
    end = await startConsole({
      open: { consoleModules: [], screens: publicScreens, records: [] },
      loadRooms: async () => ({ consoleModules: [], screens, records }),
      ...rooms,
      element,
      loadBootstrap,
    })
  })
}
const leave = () => {
  act(end)
  document.body.replaceChildren()
}

beforeEach(async () => {
  await preloadShell('/login')
  vi.spyOn(console, 'error').mockImplementation(() => {})
  bootstrapStore.setState({ bootstrap: undefined })
  window.history.replaceState(null, '', '/no-such-path')
})
afterEach(leave)

test('one request tells the console who is there, before anything is shown', async () => {
  const server = await answering({ [`GET ${doors.bootstrap.path}`]: { ...signedOut, signedIn: false } })
  await start()
  expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeDefined()
  expect(server.asked.map((one) => one.path)).toEqual([doors.bootstrap.path])
})

test('a server that is not there yet is asked again by a button', async () => {
  const server = await answering({})
  await start()
  const again = await screen.findByRole('button', { name: 'Try again' })
  server.answers[`GET ${doors.bootstrap.path}`] = { ...signedOut, signedIn: false }
  await act(async () => again.click())
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Page Not Found' })).toBeDefined())
})

test('a browser that lacks duration formatting is told so, and nothing is asked', async () => {
  const server = await answering({})
  const kept = Object.getOwnPropertyDescriptor(Intl, 'DurationFormat')
  Reflect.deleteProperty(Intl, 'DurationFormat')
  try {
    await start()
    expect((await screen.findByRole('alertdialog', { name: 'Your browser is out-of-date' })).textContent).toContain(
      'a current version of Chrome, Firefox, Safari or Edge',
    )
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
  const open: Rooms = {
    consoleModules: [
      {
        area: 'tickets',
        screens: { 'Sign in here': lazy(async () => ({ Login: () => <Page title="Sign in here">x</Page> })) },
      },
    ],
    screens: [login],
    records: [],
  }
  const whole: Rooms = {
    consoleModules: [
      {
        area: 'tickets',
        screens: { ...open.consoleModules[0]?.screens, Tickets: lazy(async () => ({ Home: () => <Page title="Tickets">x</Page> })) },
      },
    ],
    screens: [login, home],
    records: [],
  }
  const loadRooms = vi.fn<() => Promise<Rooms>>(async () => whole)
  window.history.replaceState(null, '', '/login')
  await start({ open, loadRooms })
  expect(await screen.findByRole('heading', { level: 1, name: 'Sign in here' })).toBeDefined()
  expect(loadRooms).not.toHaveBeenCalled()
  await act(async () => goTo('/home'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Tickets' })).toBeDefined()
  await act(async () => goTo('/no-such-path'))
  expect(await screen.findByRole('heading', { level: 1, name: 'Page Not Found' })).toBeDefined()
  expect(loadRooms).toHaveBeenCalledTimes(1)
})

describe('a list', () => {
  const tickets = contract({
    area: 'tickets',
    title: 'Tickets',
    calls: {
      search: {
        does: 'Search.',
        method: 'POST',
        path: '/api2/x/Tickets',
        needs: 'ticketView',
        reads: true,
        input: PageQuery.extend({ status: z.array(z.enum(['open', 'closed'])).default([]) }),
        output: pageOf(z.object({ id: z.string(), title: z.string() })),
      },
    },
  })
  const question = { key: 'tickets.test', filters: { status: { many: true } }, size: 10 } as const
  const drawn: unknown[] = []
  const drawnBefore: number[] = []
  function Tickets() {
    const list = useList(tickets.calls.search, { ...question, filters: { status: { ...question.filters.status, label: 'Status' } } })
    drawn.push(list.answer?.total)
    return (
      <Page title="Tickets">
        <DataTable
          list={list}
          label="Tickets"
          rowId={(row) => row.id}
          rowName={(row) => row.title}
          columns={[{ key: 'title', label: 'Title', cell: (row) => row.title }]}
          empty={{ title: 'No tickets' }}
        />
      </Page>
    )
  }
  Tickets.ask = (address: URLSearchParams) => {
    drawnBefore.push(drawn.length)
    return askForList(tickets.calls.search, question, address)
  }
  const place: Screen = { area: 'tickets', name: 'list', path: '/tickets', needs: 'ticketView', title: 'Tickets' }
  const openTickets = async (bootstrap: unknown, answer: unknown = { rows: [], total: 0 }) => {
    const server = await answering({ [`GET ${doors.bootstrap.path}`]: bootstrap, [`POST ${tickets.calls.search.path}`]: answer })
    const rooms: Rooms = {
      consoleModules: [{ area: 'tickets', screens: { list: lazy(async () => ({ Tickets })) } }],
      screens: [place],
      records: [],
    }
    window.history.replaceState(null, '', '/tickets?status=open&page=2&text=door')
    await start({ loadRooms: async () => rooms })
    return { asked: () => server.asked.filter((one) => one.path === tickets.calls.search.path) }
  }
  beforeEach(async () => {
    await preloadShell('/tickets')
    queryClient.clear()
    drawn.length = 0
    drawnBefore.length = 0
  })

  test('asks for its rows before it is drawn, once, with all that the address says', async () => {
    const { asked } = await openTickets(testBootstrap, { rows: [{ id: '1', title: 'Door is stuck' }], total: 1 })
    expect(await screen.findByText('Door is stuck')).toBeDefined()
    expect(asked().map(({ body }) => body)).toEqual([{ text: 'door', status: ['open'], page: 2, size: 10 }])
    expect(drawnBefore).toEqual([0])
  })

  test('is drawn without its rows where they let themselves be waited for', async () => {
    let give: (answer: unknown) => void = () => {}
    const { asked } = await openTickets(testBootstrap, () => new Promise((resolve) => (give = resolve)))
    expect(await screen.findByRole('heading', { level: 1, name: 'Tickets' })).toBeDefined()
    expect(drawn[0]).toBe(undefined)
    await waitFor(() => expect(asked()).toHaveLength(1))
    give({ body: { rows: [{ id: '1', title: 'Door is stuck' }], total: 1 } })
    expect(await screen.findByText('Door is stuck')).toBeDefined()
    expect(asked()).toHaveLength(1)
  })

  test('is drawn where what it asks ahead fails, and asks again', async () => {
    const ask = Tickets.ask
    Tickets.ask = async () => Promise.reject(new Error('no answer'))
    try {
      await openTickets(testBootstrap, { rows: [{ id: '1', title: 'Door is stuck' }], total: 1 })
    } finally {
      Tickets.ask = ask
    }
    expect(await screen.findByText('Door is stuck')).toBeDefined()
  })

  test('asks nothing for who may not see it, or has not signed in', async () => {
    const { viewer } = testBootstrap
    const without = await openTickets({ ...testBootstrap, viewer: { ...viewer, permission: { ...viewer?.permission, View: [], api: [] } } })
    expect(await screen.findByText(/permission/i)).toBeDefined()
    expect(without.asked()).toEqual([])
    leave()
    bootstrapStore.setState({ bootstrap: undefined })
    const nobody = await openTickets({ ...signedOut, signedIn: false })
    await waitFor(() => expect(location.pathname).toBe('/login'))
    expect(nobody.asked()).toEqual([])
  })
})
