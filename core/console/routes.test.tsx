import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { ComponentType } from 'react'
import { useParams } from 'react-router'
import { doors } from 'virtual:contracts'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Screen } from '#core/contract/contract.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import type { RecordKind } from '#core/contract/records.ts'
import { offer } from '#core/contract/slots.ts'
import { answering } from '#core/testing/little-server.ts'
import { paymentStore } from './global-faults.ts'
import { usePageTitle } from './kit/page-title.ts'
import { Page } from './kit/Page.tsx'
import { preferencesStore, readPreferences, setPreference } from './preferences.ts'
import { roomsStore, type Rooms } from './rooms.ts'
import { makeRoutes, preloadShell } from './routes.tsx'
import { sessionStore } from './session.ts'
import { lazy, type AddressParams, type ConsoleModule } from './show.ts'
import { helpLinks, searchSources } from './slots.ts'
import { expectAccessible, showRoutes, testViewer, type ShowOptions } from './testing/render.tsx'
import { toast } from './toasts.ts'

const at = (name: string, path: string, needs: Screen['needs'], title: string, more: Partial<Screen> = {}): Screen => ({
  area: 'tickets',
  name,
  path,
  needs,
  title,
  ...more,
})
const screens: Screen[] = [
  at('home', '/home', 'signedIn', 'Home', { menu: { group: 'home', entry: 'home' } }),
  at('list', '/support/tickets', 'ticketView', 'Tickets', {
    menu: { group: 'support', entry: 'tickets', tab: 'All', more: [{ tab: 'Closed', query: '?closed=true' }] },
    also: 'complaint, question',
    jumps: [{ title: 'Tickets that wait', query: '?status=waiting' }],
  }),
  at('add', '/support/ticket/add', 'ticketAdd', 'New ticket', { parent: 'list', button: 'New ticket' }),
  at('brokenAdd', '/broken/add', 'ticketAdd', 'New broken ticket'),
  at('view', '/support/ticket/:id/view', 'ticketView', 'Ticket', { parent: 'list' }),
  at('search', '/search/:searchType?', 'search', 'Search', {
    menu: { group: 'certificates', entry: 'inventory', params: { searchType: 'certificate' } },
  }),
  { ...at('userList', '/search/user', 'userView', 'Users', { lists: 'user' }), area: 'users' },
  at('broken', '/broken', 'signedIn', 'Broken'),
  at('unbuilt', '/unbuilt', 'signedIn', 'Unbuilt', { menu: { group: 'operate', entry: 'alerts' } }),
  at('mine', '/self/mine', 'selfServicePortal', 'Mine', { shell: 'self' }),
  at('login', '/login', 'public', 'Sign in', { shell: 'public' }),
  {
    ...at('decodePem', '/admin/certificate/decodepem', 'pEMView', 'Decoder', { menu: { group: 'pki', entry: 'decoder' } }),
    area: 'decoder',
  },
]
const ready = (component: ComponentType) => lazy(async () => ({ component }))
const page = (title: string) => ready(() => <Page title={title}>{title} is here</Page>)
const consoleModules: ConsoleModule[] = [
  {
    area: 'tickets',
    screens: {
      home: page('Home'),
      list: page('Tickets'),
      add: page('New ticket'),
      brokenAdd: page('New broken ticket'),
      view: ready(Ticket),
      search: page('Search'),
      mine: page('Mine'),
      login: page('Sign in'),
      broken: ready(function Broken(): never {
        throw new Error('The screen failed')
      }),
    },
    lists: { certificate: page('Certificates') },
    offers: [
      offer(helpLinks, { label: 'Ask about this page', atRefusal: 'Ask for help', needs: 'ticketView', to: (page) => `/ask?page=${page}` }),
      offer(searchSources, async (text) => [
        { type: 'ticket', id: '1', label: `Printer ${text}`, detail: '', path: '/support/ticket/1/view' },
        ...(/^[0-9a-f]{8}$/.test(text)
          ? [{ type: 'ticket', id: '2', label: 'Scanner', detail: `${text}0c11`, path: `/support/ticket/${text}/view` }]
          : []),
      ]),
    ],
    help: async () => ({ default: '# Tickets\n\nA ticket asks for **help**. See [Home](/home).' }),
  },
  { area: 'decoder', screens: { decodePem: ready(Decoder) } },
]
const records: RecordKind[] = [
  { area: 'tickets', name: 'certificate', singular: 'Certificate', plural: 'Certificates', needs: 'certView', list: {} },
  { area: 'tickets', name: 'ticket', singular: 'Ticket', plural: 'Tickets', needs: 'ticketView' },
]
const rooms: Rooms = { consoleModules, screens, records }

function Ticket() {
  return <Page title={`Printer ${useParams()['id']}`}>A printer</Page>
}

function Decoder() {
  usePageTitle('Decoder')
  return <Page title="Decoder">Decoder is here</Page>
}

const open = (path: string, options: ShowOptions = {}) => {
  roomsStore.setState(rooms)
  return showRoutes(makeRoutes(rooms), { ...options, at: path })
}
const holding = (...names: Permission[]): ShowOptions => ({
  viewer: { permission: { ...testViewer.permission, View: names, Menu: names, api: names } },
})
const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name })

// The shells are chunks of their own; the first test would wait for them longer than for anything else.
beforeAll(async () => {
  await preloadShell('/home')
  await preloadShell('/login')
})

beforeEach(() => {
  preferencesStore.setState(readPreferences(null), true)
  paymentStore.setState({ open: false, says: '' })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  window.history.replaceState(null, '', '/')
})

describe('the navigation', () => {
  const ask = vi.fn<(address: URLSearchParams, params: AddressParams) => Promise<void>>(async () => {})
  const askTickets = vi.fn<(address: URLSearchParams, params: AddressParams) => Promise<void>>(async () => {})
  const asks = (title: string, ahead: typeof ask) =>
    lazy(async () => ({ List: Object.assign(() => <Page title={title}>{title}</Page>, { ask: ahead }) }))
  const asking: Rooms = {
    screens,
    records,
    consoleModules: [
      { area: 'tickets', screens: { home: page('Home'), list: asks('Tickets', askTickets), search: asks('Certificates', ask) } },
    ],
  }
  const openHome = async (options: ShowOptions = {}) => {
    ask.mockClear()
    roomsStore.setState(asking)
    const shown = showRoutes(makeRoutes(asking), { ...options, at: '/home' })
    await heading('Home')
    return { ...shown, link: await screen.findByRole('link', { name: 'Inventory' }) }
  }

  test('fetches what a link leads to, and asks for its rows, while the pointer rests on it', async () => {
    const { user, link, router } = await openHome()
    await user.hover(link)
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
    expect(ask.mock.lastCall?.[1]).toEqual({ searchType: 'certificate' })
    expect(router.state.location.pathname).toBe('/home')
  })

  test('does so for the keyboard too', async () => {
    const { user, link } = await openHome()
    for (let presses = 0; document.activeElement !== link && presses < 30; presses += 1) await user.tab()
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
  })

  test('does so for any link that is pressed, before the click leads there, and once', async () => {
    const { user } = await openHome()
    const link = document.body.appendChild(
      Object.assign(document.createElement('a'), { href: '/search/certificate', textContent: 'A row' }),
    )
    link.addEventListener('click', (event) => event.preventDefault())
    await user.pointer({ keys: '[MouseLeft>]', target: link })
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
    await user.pointer({ keys: '[/MouseLeft]', target: link })
    await user.keyboard('{Control>}')
    await user.click(link)
    await user.keyboard('{/Control}')
    link.remove()
    expect(ask).toHaveBeenCalledTimes(1)
  })

  test('fetches nothing over which the pointer only passes', async () => {
    const { link } = await openHome()
    // In one breath: a busy machine takes no rest on the first.
    fireEvent.pointerOver(link)
    fireEvent.pointerOver(screen.getByRole('link', { name: 'Tickets' }))
    await waitFor(() => expect(askTickets).toHaveBeenCalledTimes(1))
    expect(ask).not.toHaveBeenCalled()
  })
})

describe('the routes', () => {
  test('/ leads to /home', async () => {
    const { router } = open('/')
    await heading('Home')
    expect(router.state.location.pathname).toBe('/home')
    expect(document.title).toBe('Home · Chancery')
  })

  test('an unknown path is not found, with the specified words', async () => {
    open('/no-such-path')
    await heading('Page Not Found')
    expect(screen.getByText('Sorry, the page you requested was not found.')).toBeDefined()
    expect(screen.getByRole('navigation', { name: 'Main' })).toBeDefined()
    await expectAccessible()
  })

  test.each(['/no-such-path', '/register-nothing'])('signed out, %s is not found without the console', async (path) => {
    open(path, { viewer: false })
    await heading('Page Not Found')
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull()
  })

  test('a trailing slash and capitals make no difference', async () => {
    open('/Support/Tickets/')
    expect(await heading('Tickets')).toBeDefined()
  })

  test('a screen without its permission leads to /denied, which names it and who can grant it', async () => {
    const { router } = open('/support/ticket/add', holding('ticketView'))
    await heading('You do not have access to this page')
    expect(router.state.location.pathname).toBe('/denied')
    expect(screen.getByText('New ticket needs the permission “Raise tickets” (ticketAdd).')).toBeDefined()
    await expectAccessible()
  })

  test('at /denied there is the help of the page that was refused, and a way to ask for help about it', async () => {
    const { user } = open('/broken/add?from=3', holding('ticketView'))
    await heading('You do not have access to this page')
    expect(screen.getByRole('link', { name: 'Ask for help' }).getAttribute('href')).toBe('/ask?page=/broken/add?from=3')
    await user.click(screen.getByRole('button', { name: 'Help' }))
    expect(await screen.findByText(/A ticket asks for/)).toBeDefined()
    await user.click(screen.getByRole('link', { name: 'Ask about this page' }))
    await waitFor(() => expect(screen.queryByText(/A ticket asks for/)).toBeNull())
  })

  test('the address of a list opens with the permission to search alone: the search says what of it is for the viewer', async () => {
    const { router } = open('/search/user', holding('search'))
    await heading('Search')
    expect(router.state.location.pathname).toBe('/search/user')
  })

  test('a screen that needs none opens with an empty View list', async () => {
    open('/home', holding())
    expect(await heading('Home')).toBeDefined()
  })

  test('signed out, a screen leads to the sign-in page and remembers itself', async () => {
    const { router } = open('/support/tickets?page=2', { viewer: false })
    await heading('Sign in')
    expect(router.state.location.pathname + router.state.location.search).toBe('/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2')
    await expectAccessible()
  })

  test('before the set-up everything leads to it', async () => {
    const { router } = open('/home', { viewer: false, bootstrap: { setupNeeded: true } })
    await waitFor(() => expect(router.state.location.pathname).toBe('/bootstrapmode'))
  })

  test('a screen that fails shows the error screen inside the console, with its log and the tenancy’s support', async () => {
    open('/broken')
    await heading('An unexpected error occurred')
    expect(screen.getByRole('link', { name: 'help@harbour.example' }).getAttribute('href')).toBe('mailto:help@harbour.example')
    expect(screen.getByRole('button', { name: 'Reload page' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Download error log' })).toBeDefined()
    expect(screen.getByRole('navigation', { name: 'Main' })).toBeDefined()
    await expectAccessible()
  })

  test('where the tenancy names nobody to write to, the error screen names the default address', async () => {
    open('/broken', { bootstrap: { tenancy: { name: 'x', supportEmail: '', salesEmail: '' } } })
    await heading('An unexpected error occurred')
    expect(screen.getByRole('link', { name: 'support@chancery.example' }).getAttribute('href')).toBe('mailto:support@chancery.example')
  })

  test('after a navigation the new page’s heading has the focus', async () => {
    const { user } = open('/home')
    await heading('Home')
    await user.click(screen.getByRole('link', { name: 'Tickets' }))
    expect(document.activeElement).toBe(await heading('Tickets'))
  })
})

describe('the error demonstration', () => {
  test('is for technicians only', async () => {
    const { router } = open('/errorBoundary')
    await heading('You do not have access to this page')
    expect(router.state.location.pathname).toBe('/denied')
    open('/errorBoundary', { viewer: { permission: { ...testViewer.permission, roles: ['technician'] } } })
    await heading('Error demonstration')
  })

  test('makes a render error that the error screen catches', async () => {
    const { user } = open('/errorBoundary', { viewer: { permission: { ...testViewer.permission, roles: ['Technician'] } } })
    await heading('Error demonstration')
    for (const name of ['Event error', 'Async error']) expect(screen.getByRole('button', { name })).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Render error' }))
    await heading('An unexpected error occurred')
  })
})

describe('the shell', () => {
  const menu = () => within(screen.getByRole('navigation', { name: 'Main' }))

  test('shows an item with its View and Menu permission only, and no empty group', async () => {
    open('/home', { viewer: { permission: { ...testViewer.permission, View: ['ticketView', 'ticketAdd'], Menu: ['ticketView'] } } })
    await heading('Home')
    expect(
      menu()
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['Home', 'Tickets'])
    expect(menu().queryByRole('button', { name: 'PKI & keys' })).toBeNull()
  })

  test('is that of self-service on every page for who holds nothing else', async () => {
    open('/support/tickets', holding('selfServicePortal', 'ticketView'))
    await heading('Tickets')
    expect(screen.getByRole('button', { name: 'Help' })).toBeDefined()
    expect(screen.queryByRole('button', { name: /Search or jump to/ })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Console' })).toBeNull()
    await expectAccessible()
  })

  test('is that of self-service on its own pages for everybody else, with a way back to the console', async () => {
    open('/self/mine', holding('selfServicePortal', 'monitor'))
    await heading('Mine')
    expect(screen.queryByRole('button', { name: /Search or jump to/ })).toBeNull()
    expect(screen.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe('/home')
  })

  test('leaves out a screen that its room has not built', async () => {
    open('/home')
    await heading('Home')
    expect(menu().queryByRole('link', { name: 'Unbuilt' })).toBeNull()
  })

  test('fills the parameters of a menu entry and marks where one is', async () => {
    open('/search/certificate')
    await heading('Search')
    const link = menu().getByRole('link', { name: 'Inventory' })
    expect([link.getAttribute('href'), link.getAttribute('aria-current')]).toEqual(['/search/certificate', 'page'])
    await expectAccessible()
  })

  test('says above a page where it stands, lights its entry, and opens its group though it was closed', async () => {
    setPreference('closedGroups', { support: true })
    const { user } = open('/support/ticket/1/view')
    await heading('Printer 1')
    const trail = within(screen.getByRole('navigation', { name: 'Breadcrumb' }))
    expect(trail.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Support', 'Tickets', 'Printer 1'])
    expect(menu().getByRole('link', { name: 'Tickets' }).getAttribute('aria-current')).toBe('page')
    await expectAccessible()
    await user.click(trail.getByRole('link', { name: 'Tickets' }))
    await heading('Tickets')
    expect(screen.queryByRole('navigation', { name: 'Breadcrumb' })).toBeNull()
  })

  test('has the screens of an entry as tabs below the title, and those that are actions as buttons beside it', async () => {
    const { user, router } = open('/support/tickets')
    await heading('Tickets')
    const tabs = within(screen.getByRole('navigation', { name: 'Tickets' }))
    expect(tabs.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('aria-current')])).toEqual([
      ['All', 'page'],
      ['Closed', null],
    ])
    await expectAccessible()
    await user.click(tabs.getByRole('link', { name: 'Closed' }))
    await waitFor(() => expect(router.state.location.search).toBe('?closed=true'))
    expect(tabs.getByRole('link', { name: 'Closed' }).getAttribute('aria-current')).toBe('page')
    await user.click(within(screen.getByRole('main')).getByRole('link', { name: 'New ticket' }))
    await heading('New ticket')
  })

  test('keeps a pinned page in the menu', async () => {
    const { user } = open('/support/tickets?closed=true')
    await heading('Tickets')
    await user.click(screen.getByRole('button', { name: 'Pin this page to the menu' }))
    expect(menu().getByRole('button', { name: 'Pinned' })).toBeDefined()
    expect(preferencesStore.getState().pinned).toEqual([{ path: '/support/tickets?closed=true', label: 'Tickets' }])
    const lit = () =>
      menu()
        .getAllByRole('link')
        .filter((link) => link.hasAttribute('aria-current'))
    expect(lit().map((link) => link.getAttribute('href'))).toEqual(['/support/tickets'])
    expect(screen.getByRole('button', { name: 'Unpin this page' })).toBeDefined()
  })

  test('on a narrow screen opens the menu, which closes on the page that was chosen', async () => {
    const wide = window.matchMedia
    onTestFinished(() => void (window.matchMedia = wide))
    window.matchMedia = (query) => ({ ...wide(query), matches: query.includes('max-width: 1023') })
    const { user, router } = open('/home')
    await heading('Home')
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Menu' }))
    const drawer = within(await screen.findByRole('dialog', { name: 'Menu' }))
    await expectAccessible()
    await user.click(drawer.getByRole('link', { name: 'Tickets' }))
    await heading('Tickets')
    expect(router.state.location.pathname).toBe('/support/tickets')
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Menu' })).toBeNull())
  })

  test('shows the tenant switcher with more than one tenancy, and changes it', async () => {
    const server = await answering({ [`POST ${doors.switchTenancy.path}`]: {} })
    const managed = [...testViewer.managed, { id: 't2', name: 'Northern Rail', colour: '#ffd400' }]
    const { user, router } = open('/support/tickets', { viewer: { managed } })
    await heading('Tickets')
    await user.click(screen.getByRole('button', { name: 'Tenancy: Harbour Trust' }))
    await user.type(await screen.findByLabelText('Search tenancies'), 'north')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Northern Rail' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/home'))
    expect(server.asked[0]?.body).toEqual({ tenantId: 't2' })
  })

  test('with one tenancy only names it', async () => {
    open('/home')
    await heading('Home')
    expect(screen.queryByRole('button', { name: /^Tenancy/ })).toBeNull()
    expect(screen.getByText('Harbour Trust')).toBeDefined()
  })

  test('keeps the last toasts in the bell', async () => {
    const { user } = open('/home')
    await heading('Home')
    toast({ kind: 'error', title: 'Audit Offline' })
    await user.click(await screen.findByRole('button', { name: 'Notices, 1 new' }))
    expect(within(await screen.findByRole('dialog', { name: 'Notices' })).getByText('Audit Offline')).toBeDefined()
    await expectAccessible()
  })

  test('changes the theme and signs out from the account menu', async () => {
    const server = await answering({ [`POST ${doors.legacyLogout.path}`]: {}, [`POST ${doors.logout.path}`]: {} })
    const { user, router } = open('/home')
    await heading('Home')
    await user.click(screen.getByRole('button', { name: 'Account of Grace Hopper' }))
    await user.click(await screen.findByRole('button', { name: 'Dark' }))
    expect(document.documentElement.getAttribute('data-mantine-color-scheme')).toBe('dark')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Sign out' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
    expect(server.asked.length).toBe(2)
  })

  test('opens the room’s help beside the page', async () => {
    const { user } = open('/support/tickets')
    await heading('Tickets')
    await user.click(screen.getByRole('button', { name: 'Help' }))
    expect(await screen.findByText('help', { selector: 'strong' })).toBeDefined()
    await expectAccessible()
  })

  test('says that a payment method is needed', async () => {
    open('/home')
    await heading('Home')
    paymentStore.setState({ open: true, says: 'A payment method is needed for this' })
    expect(await screen.findByRole('dialog', { name: 'Payment method' })).toBeDefined()
    await expectAccessible()
  })

  test('warns before the session ends', async () => {
    open('/home')
    await heading('Home')
    sessionStore.setState({ warning: true, endsAt: Date.now() + 30_000 })
    expect(await screen.findByRole('dialog', { name: 'Your session is about to end' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Stay signed in' })).toBeDefined()
    await expectAccessible()
  })
})

describe('the palette', () => {
  const openPalette = async ({ at: first, ...options }: ShowOptions = {}) => {
    const shown = open(first ?? '/home', options)
    if (first !== undefined) {
      await screen.findByRole('heading', { level: 1 })
      await shown.router.navigate('/home')
    }
    await heading('Home')
    await shown.user.keyboard('{Control>}k{/Control}')
    return { ...shown, field: await screen.findByRole('combobox', { name: 'Search or jump to...' }) }
  }
  const options = () => screen.getAllByRole('option').map((option) => option.textContent)

  test('goes to a screen by its name and Enter', async () => {
    const { user, router, field } = await openPalette()
    await user.type(field, 'new tic')
    expect(options()[0]).toBe('New ticket')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/support/ticket/add'))
  })

  test('opens with the last records and with what can be begun, and finds a page by its other names', async () => {
    const { user, field } = await openPalette({ at: '/support/ticket/7/view' })
    const group = (name: string) =>
      within(screen.getByRole('group', { name }))
        .getAllByRole('option')
        .map((option) => option.textContent)
    expect(group('Recent')).toEqual(['Printer 7Ticket', 'Home'])
    expect(group('Actions')).toEqual(['New ticket'])
    await user.type(field, 'complain')
    expect(options()[0]).toBe('Tickets')
    await user.clear(field)
    await user.type(field, 'tickets that')
    expect(options()[0]).toBe('Tickets that wait')
  })

  test('waits for the record whose number was pasted as the console shows it, and opens it by Enter', async () => {
    const { user, router } = await openPalette()
    await user.paste('245e 9d2a…')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/support/ticket/245e9d2a/view'))
  })

  test('is walked with the arrow keys, in a browser that answers to scrolling with a promise', async () => {
    const { user, router, field } = await openPalette()
    await user.type(field, 'scanner')
    await screen.findByRole('option', { name: 'Printer scanner' })
    const chosen = () => screen.getByRole('option', { selected: true }).textContent
    await user.keyboard('{ArrowDown}')
    await user.keyboard('{ArrowUp}')
    while (chosen() !== 'Printer scanner') await user.keyboard('{ArrowDown}')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).not.toBe('/home'))
    expect(screen.queryByRole('heading', { name: 'An unexpected error occurred' })).toBeNull()
  })

  test('finds records by the word help, too', async () => {
    const { user, field } = await openPalette()
    await user.type(field, 'help')
    await waitFor(() => expect(screen.queryByText('Searching...')).toBeNull())
    expect(options()).not.toContain('')
  })

  test('shows no screen that the viewer may not open', async () => {
    await openPalette(holding('ticketView'))
    expect(options().toSorted()).toEqual(['Home', 'Home', 'Broken', 'Tickets'].toSorted())
  })

  test('does what the page and the account menu can do', async () => {
    const { user, field } = await openPalette()
    await user.type(field, 'dark th')
    expect(options()[0]).toBe('Dark theme')
    await user.keyboard('{Enter}')
    expect(preferencesStore.getState().theme).toBe('dark')
    expect(screen.queryByRole('combobox', { name: 'Search or jump to...' })).toBeNull()
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox', { name: 'Search or jump to...' }), 'sign ou')
    expect(options()).toContain('Sign out')
  })

  test('knows a pasted certificate, a serial number, and finds records', async () => {
    const { user, field, router } = await openPalette()
    await user.type(field, '4f:2a:9c:00:11:22')
    expect(options()[0]).toBe('Find the certificate with serial number or fingerprint 4f2a9c001122')
    await user.clear(field)
    await user.type(field, 'scanner')
    expect(await screen.findByRole('option', { name: 'Printer scanner' })).toBeDefined()
    await expectAccessible()
    await user.clear(field)
    await user.paste('-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/certificate/decodepem'))
    expect(router.state.location.state).toEqual({ pem: '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----' })
  })
})
