// Which files the console is cut into. Left alone, the bundler makes a file for every set of modules that some screens share: three hundred, of
// which a page needs ninety, and each costs a turn on the line. Here everything that is used together goes together, from what every page needs
// down to what one room's screens share. The first group that fits a module takes it, and what that module needs with it.

import { readContracts } from './contracts-plugin.ts'
import { namedBy } from './named-plugin.ts'
import { modulesOfHome } from './pages-plugin.ts'

type Group = {
  name: string | ((id: string) => string)
  debugName?: string
  test?: RegExp | ((id: string) => boolean)
  tags?: '$initial'[]
  minShareCount?: number
}

const mantine = (components: string): RegExp => new RegExp(`@mantine/core/esm/components/(?:${components})/`)
const either = (...tests: RegExp[]): RegExp => new RegExp(tests.map(({ source }) => source).join('|'))

/** A room's contract, rules, words and paths, as far as several screens need them. */
const room = /\/areas\/[^/]+\/(console\/)?[a-z][\w-]*\.ts$/
const roomFile = (id: string): string => `room-${/areas\/([^/]+)/.exec(id)?.[1] ?? 'none'}`

const groups: readonly Group[] = [
  // What does not change when only our own code does, and compresses better in one.
  {
    name: 'base',
    test: /(?<!@xyflow\/react\/)node_modules\/(react|react-dom(?!\/(client|cjs\/react-dom-client))|react-router|cookie-es|@remix-run|@lingui|zustand)\//,
  },
  { name: 'draw', test: /node_modules\/(react-dom|scheduler)\/|core\/console\/draw\./ },
  { name: 'start', tags: ['$initial'] },
  // Whatever a page is, it asks and shows: before the shell, which would take this along, and the sign-in page would load the shell for it.
  // So does a slot of the sign-in page, which the rooms that fill it name in their modules.
  {
    name: 'start',
    test: /core\/console\/(shell\/(Mark|tenant-colour|PublicShell)|theme\/colour|queries)\.|@tanstack\/react-query|areas\/sessions\/ways\./,
  },
  {
    name: 'kit',
    test: either(
      /core\/console\/kit\/(Page|page-place|Section|HomeCard|links|DateTime|Status|status-kinds|Mono|DownloadButton|Copy|fresh-key)\.|@mantine\/core\/esm\/core\/|@mantine\/hooks\/(?!esm\/use-(focus|click-outside|long-press))|@tabler/,
      mantine('TextInput|NativeSelect|Paper|Anchor|Stack|Combobox/ComboboxChevron'),
    ),
    minShareCount: 4,
  },
  {
    // With the addresses that home leads to without reading the contract of their room (`*-screen.ts`).
    // With the stream: the home page follows one, and pages that follow another must not load the cards of all rooms for it.
    name: 'shell',
    test: /core\/console\/(shell\/(ConsoleShell|Navigation|TopBar|navigation|page-parts|current-screen|Bell|TenantSwitcher|AccountMenu)|stream|kit\/(Hint|ShortNumber|Markdown|day-text|record-detail|panel-button|TabRow|fitting-tabs))\.|apps\/console\/all-rooms\.|^\0virtual:rooms$|^\0virtual:contracts\/named|areas\/[^/]+\/(console\/index|[\w-]+-screen)\.|core\/contract\/(menu|places)\./,
  },
  // Lists that grow with every room, and that few pages show: apart, because pages without them would load them.
  { name: 'log', test: /^\0virtual:contracts\/log$|areas\/audit\/event-labels\./ },
  { name: 'permissions', test: /core\/contract\/permission-labels\./ },
  // With the few words of standards that shapes are made of: the first room to need one would take it along, and who needs it would load that room.
  // What few rooms need of either is left out: the sign-in page loads this too.
  { name: 'shapes', test: /node_modules\/zod\/|core\/contract\/(?!import-calls\.)|\/standards\/(?!acme\/)/ },
  // So it would with what the contracts of several rooms have in common.
  { name: 'names', test: /areas\/(templates\/names|authorities\/certificate-text)\./ },
  // What details and forms are laid out with, and no list. With the dot that menus and forms draw: menus would take it along, and forms would load them for it.
  {
    name: 'details',
    test: either(mantine('Checkbox|SimpleGrid|Divider|Badge|Progress'), /@mantine\/core\/esm\/components\/Radio\/RadioIcon\./),
    minShareCount: 4,
  },
  // The library that places menus, panels and dialogs: a list shows its rows without.
  {
    name: 'floating',
    test: either(
      /@floating-ui|react-remove-scroll|@mantine\/hooks\/esm\/use-(focus|click-outside|long-press)/,
      mantine('Popover|Menu|Tooltip|ScrollArea|Modal|Drawer'),
    ),
    minShareCount: 3,
  },
  // A comment is asked for by dialogs of pages that have no form: the first form would take it along, and they would load that.
  { name: 'comment', test: mantine('Textarea') },
  {
    name: 'form',
    test: /core\/console\/kit\/(Form|plain-fields|UnsavedGuard|LongForm|Fold|DateField|GroupedCheckboxField)\./,
    minShareCount: 3,
  },
  {
    name: 'choices',
    test: either(/core\/console\/kit\/choice-fields\./, mantine('Select|Combobox|MultiSelect|TagsInput')),
    minShareCount: 3,
  },
  { name: 'list', test: /core\/console\/kit\/(DataTable|EndDate|list|ViewTabs)\./, minShareCount: 2 },
  { name: 'panels', test: /core\/console\/kit\/(FilterPanel|RowMenu|HintBubble)\./ },
  { name: 'parts', test: /core\/console\/|node_modules\/(@mantine|@tabler|clsx)\//, minShareCount: 6 },
]

/**
 * The page that most people see first is drawn by a dozen rooms: their panels are one file. Addresses and words that it shares with the screens of its rooms, and
 * with the bell, are another: in the file of a room, home would load all of the room for them.
 */
export async function chunkGroups(root: string): Promise<(Group & { priority: number })[]> {
  const drawn = modulesOfHome(root, await readContracts(root))
  const words = new Set(drawn.filter((module) => module.endsWith('.ts')))
  const panels = new Set(drawn.filter((module) => !words.has(module)))
  const { modules } = namedBy(root, drawn)
  const all: Group[] = [
    ...groups,
    { name: 'words', test: (id) => words.has(id) },
    { name: 'words', test: (id) => modules.has(id) && !panels.has(id), minShareCount: 2 },
    { debugName: 'room', name: roomFile, test: room, minShareCount: 3 },
    // What of the kit a panel uses and a few other pages do.
    { debugName: 'part', name: partFile, test: /core\/console\/|@mantine\/core\/esm\/components\//, minShareCount: 2 },
    { name: 'home', test: (id) => panels.has(id) },
  ]
  return all.map((group, at) => ({ ...group, priority: all.length - at }))
}

const partFile = (id: string): string => `part-${/esm\/components\/(\w+)|([\w-]+)\.\w+$/.exec(id)?.slice(1).find(Boolean) ?? 'kit'}`
