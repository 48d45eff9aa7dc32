import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Needs } from '#core/contract/permissions.ts'
import { readContracts } from './contracts-plugin.ts'
import { extractTexts, translationsOf } from './extract-text.ts'
import { splitIcons } from './icons-plugin.ts'
import { namedBy, withNamed } from './named-plugin.ts'
import { readPages } from './pages-plugin.ts'
import { gatherRooms } from './rooms-plugin.ts'
import { withoutAnswers, withoutWork } from './shapes-plugin.ts'
import { withStyles } from './styles-plugin.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chancery-contracts-'))
})
afterEach(() => rmSync(root, { recursive: true }))
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('contracts become plain data in the order of the rooms, and a room without one is left out', async () => {
  write('areas/order.ts', `export const order = ['sessions', 'later', 'tickets'] as const`)
  write(
    'areas/sessions/contract.ts',
    `export const Shape = { parse() {} }; export const sessions = { area: 'sessions', title: 'Signing in', screens: {}, endpoints: {}, events: { signedOut: { says: 'Signed out' } }, calls: { logout: { area: 'sessions', name: 'logout', title: 'Sign out', method: 'POST', path: '/out', input: () => 1 }, other: { area: 'sessions', name: 'other', method: 'GET', path: '/other' } } }`,
  )
  write(
    'areas/tickets/contract.ts',
    `export const tickets = { area: 'tickets', title: 'Tickets', calls: { list: { method: 'GET', path: '/list', input: { safeParse: () => ({ success: true }) } } }, endpoints: { close: { title: 'Close a ticket', method: 'POST' } }, events: {}, records: { ticket: { area: 'tickets', name: 'ticket', plural: 'Tickets' } }, screens: { add: { area: 'tickets', name: 'add', path: '/add', needs: 'ticketAdd', title: 'New ticket', parent: 'list', button: 'New', asks: 'list' } } }`,
  )
  expect(await readContracts(root)).toEqual({
    rooms: ['sessions', 'later', 'tickets'],
    screens: [{ area: 'tickets', name: 'add', path: '/add', needs: 'ticketAdd', title: 'New ticket', parent: 'list', button: 'New' }],
    records: [{ area: 'tickets', name: 'ticket', plural: 'Tickets' }],
    doors: { logout: { area: 'sessions', name: 'logout', method: 'POST', path: '/out' } },
    asks: new Map([['/add', '/list']]),
    labels: {
      areas: { sessions: 'Signing in', tickets: 'Tickets', endpoint: 'Public addresses' },
      names: { sessions: { logout: 'Sign out', signedOut: 'Signed out' }, tickets: {}, endpoint: { close: 'Close a ticket' } },
    },
  })
})

test('the rooms of the console stand in the order asked, and a room without a console is passed over', () => {
  for (const room of ['tickets', 'sessions']) write(`areas/${room}/console/index.ts`, '')
  write('areas/later/server/index.ts', '')
  expect(gatherRooms(root, ['sessions', 'later', 'tickets'])).toBe(
    `import room0 from "${root}/areas/sessions/console/index.ts"\nimport room1 from "${root}/areas/tickets/console/index.ts"\nexport const consoleModules = [room0, room1]`,
  )
  write('areas/tickets/console/help.de.md', '# Hilfe')
  expect(gatherRooms(root, ['tickets'])).toBe(
    `import { withHelp } from '#core/console/help-language.ts'\nimport room0 from "${root}/areas/tickets/console/index.ts"\nexport const consoleModules = [withHelp(room0, { de: () => import("${root}/areas/tickets/console/help.de.md?raw") })]`,
  )
})

test('a contract of the console has no shapes of answers and events and no words of the log, and all else of it', () => {
  const written = `export const page = { output: 1 }
export const tickets = contract({ area: 'tickets', title: 'Tickets', screens: { add: { path: '/new', needs: 'public', title: 'New' } }, calls: { add: { does: 'Adds.', title: 'Add', method: 'POST', path: '/add', input: z.object({ output: z.string() }), output: z.object({ id: Id }), done: 'Added' }, ...parts }, streams: { news: { path: '/news', needs: 'signedIn', input: z.object({}), event: z.string() } }, events: { added: { says: 'Added', body: z.object({}) } } })
export const more = { closed: { says: 'Closed', body: z.object({}) } }`
  expect(withoutAnswers(written).replaceAll(/,? +/g, ' ')).toBe(
    `export const page = { output: 1 }
export const tickets = contract({ area: 'tickets', screens: { add: { path: '/new', needs: 'public', title: 'New' } }, calls: { add: { method: 'POST', path: '/add', input: z.object({ output: z.string() }), done: 'Added' }, ...parts }, streams: { news: { path: '/news', needs: 'signedIn', input: z.object({}) } } })
export const more = { closed: { } }`.replaceAll(/,? +/g, ' '),
  )
})

test('a call beside the contract has no shape of its answer either', () => {
  expect(withoutAnswers(`export const calls = { read: { method: 'GET', path: '/read', output: Row, input: z.object({}) } } as const`)).toBe(
    `export const calls = { read: { method: 'GET', path: '/read',  input: z.object({}) } } as const`,
  )
})

test('a component of the kit brings its styles, and one without styles says so', () => {
  const table = (path: string) => join(process.cwd(), `node_modules/@mantine/core/esm/${path}.module.mjs`)
  expect(withStyles(process.cwd(), table('components/Button/Button'), 'var x')).toBe(`import '@mantine/core/styles/Button.css'\nvar x`)
  expect(withStyles(process.cwd(), table('utils/InlineInput/InlineInput'), 'var x')).toBe(
    `import '@mantine/core/styles/InlineInput.css'\nvar x`,
  )
  expect(withStyles(process.cwd(), 'core/console/kit/Tick.module.css', '.tick {}')).toBeUndefined()
  expect(() => withStyles(process.cwd(), table('components/Nothing/Nothing'), 'var x')).toThrow('no styles for Nothing')
})

test.each(['to-json-schema', 'json-schema-processors'])('the library of shapes finds all of %s, and nothing in it', async (name) => {
  const path = join(process.cwd(), `node_modules/zod/v4/core/${name}.js`)
  write('left.mjs', withoutWork(readFileSync(path, 'utf8')))
  const [left, whole] = await Promise.all(
    [join(root, 'left.mjs'), path].map(async (file): Promise<Record<string, unknown>> => import(file)),
  )
  expect(Object.keys(left ?? {}).toSorted()).toEqual(Object.keys(whole ?? {}).toSorted())
  for (const one of Object.values(left ?? {})) expect(one).toThrow('describes no shapes')
})

test('translators get the texts of screens, of what rooms lend each other, and of contracts with all their parts', () => {
  write(
    'areas/tickets/contract.ts',
    `import { parts } from './parts.ts'; import { z } from 'zod'; export const tickets = { area: 'tickets', screens: { add: { title: 'New ticket' } }, calls: { ...parts } }`,
  )
  write(
    'areas/tickets/parts.ts',
    `export const parts = { add: { does: 'Adds a ticket.', title: 'Add a ticket', faults: { full: { status: 409, says: 'No more tickets today' } } } }`,
  )
  write('areas/tickets/good-title.ts', `export const good = (title: string) => ({ says: title.length > 3 ? 'Clear' : 'Says little' })`)
  write(
    'areas/tickets/TicketForm.tsx',
    `import { good } from './good-title.ts'; export const form = () => <p title={t('Write it down')} />`,
  )
  write('areas/tickets/console/AddTicket.tsx', `export const add = () => <p>{t('Add a ticket')}</p>`)
  write('areas/tickets/server/index.ts', `throw new Error('This is for the log')`)
  write('core/contract/paths.test.ts', `expect(() => to('/a')).toThrow('The path needs an id')`)
  expect(extractTexts(root)).toEqual(['Add a ticket', 'New ticket', 'No more tickets today', 'Says little', 'Write it down'])
})

test('a room with German of its own keeps there what stands in it alone', () => {
  write('areas/visits/contract.ts', `export const visits = { area: 'visits', title: 'Visits', screens: { add: { title: 'New ticket' } } }`)
  write('areas/tickets/contract.ts', `export const tickets = { area: 'tickets', screens: { add: { title: 'New ticket' } } }`)
  write('areas/visits/console/de.json', '{ "Visits": "Besuche" }')
  const { core, rooms } = translationsOf(root, 'de')
  expect(rooms).toEqual([{ place: 'areas/visits/console/de.json', texts: ['Visits'] }])
  expect(core.texts).toContain('New ticket')
  expect(core.texts).not.toContain('Visits')
})

test('icons are imported one by one', () => {
  expect(splitIcons(`import { IconTrash, IconX as Cross, type Icon } from '@tabler/icons-react'\nimport x from 'y'`)).toBe(
    `import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'; import Cross from '@tabler/icons-react/dist/esm/icons/IconX.mjs';\nimport x from 'y'`,
  )
})

test('an import of icons that is no list of icons is left alone', () => {
  const code = `import { icons } from '@tabler/icons-react'`
  expect(splitIcons(code)).toBe(code)
})

const screen = (area: string, name: string, path: string, needs: Needs = 'certView') => ({ area, name, path, needs, title: name })

test('a page is drawn by its screen, and by what other rooms put into it', () => {
  write(
    'areas/search/console/index.ts',
    `import { lazy, show } from '#core/console/show.ts'; const screen = lazy(() => import('./Search.tsx')); export default show<typeof search>('search', { search: screen, users: screen })`,
  )
  write(
    'areas/tickets/console/index.ts',
    `export default show('tickets', { add: lazy(() => import('./AddTicket.tsx')), home: lazy(() => import('./Home.tsx')) }, { lists: { ticket: lazy(() => import('./List.tsx')) }, offers: [offer(homePanels, { key: 'mine', title: 'Mine', load: lazy(() => import('./Mine.tsx')) })], help: () => import('./help.md?raw') })`,
  )
  const screens = [
    screen('search', 'search', '/search/:searchType?'),
    screen('search', 'users', '/search/user'),
    screen('tickets', 'add', '/ticket/add', 'public'),
    screen('tickets', 'home', '/home'),
    screen('tickets', 'later', '/later'),
    screen('later', 'a', '/a'),
  ]
  const pages = readPages(root, { screens }).map(({ path, shell, modules }) => [
    path,
    shell,
    ...modules.map((module) => module.slice(root.length + 1)),
  ])
  expect(pages).toEqual([
    ['/search/ticket', 'console', 'areas/search/console/Search.tsx', 'areas/tickets/console/List.tsx'],
    ['/search/:searchType?', 'console', 'areas/search/console/Search.tsx'],
    ['/search/user', 'console', 'areas/search/console/Search.tsx'],
    ['/ticket/add', 'public', 'areas/tickets/console/AddTicket.tsx'],
    ['/home', 'console', 'areas/tickets/console/Home.tsx', 'areas/tickets/console/Mine.tsx'],
  ])
})

const card = `import { tickets, type Ticket } from '../contract.ts'
import { path } from '../paths.ts'
export const Card = () => [useCall(tickets.calls.own, {}), path, list.tickets as Ticket]`

test('what draws the home page is given what it names of a contract, and not the contract', () => {
  write('areas/tickets/contract.ts', '')
  write('areas/tickets/paths.ts', `import { tickets } from './contract.ts'\nconst { view } = tickets.screens\nexport const path = to(view)`)
  write('areas/tickets/console/Card.tsx', card)
  const file = join(root, 'areas/tickets/console/Card.tsx')
  const { modules, names } = namedBy(root, [file])
  expect([...modules].map((module) => module.slice(root.length + 1))).toEqual(['areas/tickets/console/Card.tsx', 'areas/tickets/paths.ts'])
  expect(names.get('tickets')).toEqual({ calls: new Set(['own']), screens: new Set(['view']), streams: new Set() })
  expect(withNamed(root, file, card)).toBe(card.replace(`'../contract.ts'`, `'virtual:contracts/named/tickets'`))
})

test('what draws the home page may not hand a whole contract on', () => {
  write('areas/tickets/contract.ts', '')
  write('areas/tickets/console/Card.tsx', `import { tickets } from '../contract.ts'\nexport const all = Object.keys(tickets.calls)`)
  expect(() => namedBy(root, [join(root, 'areas/tickets/console/Card.tsx')])).toThrow('may only name calls and screens of tickets')
})
