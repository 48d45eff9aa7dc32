// Where the palette can go: recent places, every screen that needs no parameters, saved views, and what a recognised text leads to.

import type { Screen } from '#core/contract/contract.ts'
import { fillPath, paramNames } from '#core/contract/paths.ts'
import { satisfies, type ViewerPermission } from '#core/contract/permissions.ts'
import type { RecordKind } from '#core/contract/records.ts'
import type { Viewer } from '../bootstrap.ts'
import { recordDetail } from '../kit/record-detail.ts'
import { recordsOf, setPreference, type Preferences } from '../preferences.ts'
import { findScreen, shownScreens, screenKey, type Rooms } from '../rooms.ts'
import type { FoundRecord } from '../slots.ts'
import { t } from '../text.ts'
import { belongsHere, opensFor } from './navigation.ts'
import type { PageAction } from './page-actions.ts'
import type { Recognised } from './palette-rank.ts'

export type Destination = {
  id: string
  group: string
  label: string
  detail?: string
  /** Other names, with commas. */
  also?: string
  /** Not the screen itself, but what its contract leads to besides: found by its words, and not listed before any is typed. */
  jump?: true
  /** Its place among the actions that are offered before anything is typed. */
  first?: number
  path: string
  state?: unknown
  run?: () => void
}

/** Screens that open without a parameter, or whose menu entry fills it. */
export function screenPlaces(
  rooms: Rooms,
  { permission, management = false }: { permission: ViewerPermission; management?: boolean },
): Destination[] {
  const shown = shownScreens(rooms)
  const places = rooms.screens
    .filter(
      (screen) =>
        shown.has(screenKey(screen)) &&
        screen.shell !== 'public' &&
        // A list without an entry in the menu stands on a screen of its own as well.
        (screen.lists === undefined || screen.menu !== undefined) &&
        belongsHere(screen, management) &&
        screen.needs !== 'public' &&
        opensFor(permission, screen),
    )
    .flatMap((screen) => {
      const key = screenKey(screen)
      const params = screen.menu?.params ?? {}
      const opens = (given: Record<string, string>) =>
        !screen.path.includes('*') &&
        paramNames(screen.path).every((name) => given[name] !== undefined || screen.path.includes(`:${name}?`))
      const itself = { title: screen.title, params, also: screen.also, first: screen.first }
      return [itself, ...(screen.jumps ?? []).map((jump) => ({ ...jump, params: { ...params, ...jump.params } }))]
        .filter((place) => opens(place.params))
        .map(({ title, also, first, ...place }) => ({
          ...(title === screen.title ? { id: key } : { id: `${key} ${title}`, jump: true as const }),
          group: t('Go to'),
          label: t(title),
          ...(also === undefined ? {} : { also: t(also) }),
          ...(first === undefined ? {} : { first }),
          path: fillPath(screen.path, place.params) + ('query' in place ? (place.query ?? '') : ''),
        }))
    })
  // A screen stands once; what leads to it by a name of its own stands beside it.
  return places.filter((place, at) => 'jump' in place || places.findIndex((other) => other.path === place.path) === at)
}

const shownRecent = 5

/** The person's last records in this tenancy; as long as there are fewer, the last pages, each name once. */
export function recentPlaces({ recent, recentRecords }: Pick<Preferences, 'recent' | 'recentRecords'>, viewer: Viewer): Destination[] {
  const group = t('Recent')
  const of = recordsOf(viewer)
  const records = recentRecords.flatMap(({ path, label, kind, of: whose }) =>
    whose === of ? [{ id: `recent ${path}`, group, label, detail: t(kind), path }] : [],
  )
  const pages = recent
    .filter((place, at) => recent.findIndex((other) => other.label === place.label) === at)
    .map(({ path, label }) => ({ id: `recent ${path}`, group, label: t(label), path }))
  return [...records, ...pages].slice(0, shownRecent)
}

/** What can be begun from anywhere: first what the contracts put first, then the pages on which something is made. */
export function beginnings(rooms: Rooms, viewer: Viewer): Destination[] {
  const makes = ({ parent, menu, path }: Screen) =>
    menu === undefined ? parent !== undefined && parent !== 'home.home' && /\/(?:add|create|upload)$/.test(path) : menu.entry === 'request'
  const making = new Set(rooms.screens.filter(makes).map(screenKey))
  return screenPlaces(rooms, viewer)
    .filter(({ id, first }) => first !== undefined || making.has(id))
    .toSorted((a, b) => (a.first ?? Infinity) - (b.first ?? Infinity))
    .map((place) => ({ ...place, id: `begin ${place.id}`, group: t('Actions') }))
}

export const viewPlaces = (views: Preferences['views']): Destination[] =>
  Object.values(views)
    .flat()
    .map((view) => ({ id: `view ${view.path}${view.query}`, group: t('Saved views'), label: view.name, path: view.path + view.query }))

/** The page's own buttons, and what the account menu does. */
export function actionPlaces(
  actions: readonly PageAction[],
  { signOut, help, keys }: { signOut: () => void; help?: (() => void) | undefined; keys: () => void },
): Destination[] {
  const themes: [Preferences['theme'], string][] = [
    ['light', 'Light theme'],
    ['dark', 'Dark theme'],
    ['auto', 'System theme'],
  ]
  return [
    ...actions.map(({ label, path = '', run }) => ({ id: `action ${label}`, group: t('Actions on this page'), label, path, run })),
    ...(help === undefined ? [] : [{ id: 'help', group: t('Actions'), label: t('Help on this page'), path: '', run: help }]),
    { id: 'keys', group: t('Actions'), label: t('Keyboard shortcuts'), path: '', run: keys },
    ...themes.map(([theme, label]) => ({
      id: `theme ${theme}`,
      group: t('Actions'),
      label: t(label),
      path: '',
      run: () => setPreference('theme', theme),
    })),
    { id: 'signOut', group: t('Actions'), label: t('Sign out'), path: '', run: signOut },
  ]
}

/** The headings of the rooms' help, so that a question finds its answer. */
export function helpPlaces(files: readonly { area: string; text: string }[], open: (area: string) => void): Destination[] {
  return files.flatMap(({ area, text }) =>
    [...text.matchAll(/^#{1,2} (.+)$/gm)].map(([, heading = '']) => ({
      id: `help ${area} ${heading}`,
      group: t('Help'),
      label: heading,
      path: '',
      run: () => open(area),
    })),
  )
}

/** Those that are what was typed come first, by themselves: Enter opens them. */
export const recordPlaces = (found: readonly FoundRecord[], kinds: readonly RecordKind[], exact: boolean): Destination[] =>
  found.map((record) => ({
    id: `${record.type} ${record.id}`,
    group: exact ? t('Exactly this') : t(kinds.find(({ name }) => name === record.type)?.plural ?? record.type),
    label: record.label,
    detail: recordDetail(record),
    path: record.path,
  }))

/** All that was found, where not all of it is shown; for who may search. */
export function allRecords(rooms: Rooms, permission: ViewerPermission, text: string, count: number): Destination[] {
  const search = findScreen(rooms, 'search', 'search')
  if (search === undefined || !satisfies(permission.View, search.needs)) return []
  return [
    {
      id: 'all records',
      group: t('Search'),
      label: t('Show {count, plural, one {# record} other {# records}}', { count }),
      path: `${fillPath(search.path, {})}?text=${encodeURIComponent(text)}`,
    },
  ]
}

const searched: Record<Exclude<Recognised['kind'], 'pem'>, { type: string; says: string }> = {
  serial: { type: 'certificate', says: 'Find the certificate with serial number or fingerprint {text}' },
  email: { type: 'user', says: 'Find the person with address {text}' },
  address: { type: 'device', says: 'Find the device with address {text}' },
  ticket: { type: 'ticket', says: 'Open ticket {text}' },
}

/** What a pasted certificate, a serial number or an address leads to; nothing where the room is not there or not allowed. */
export function recognisedPlaces(
  recognised: Recognised | undefined,
  rooms: Rooms,
  permission: ViewerPermission,
  lists: readonly string[],
): Destination[] {
  if (recognised === undefined) return []
  const group = t('This looks like')
  if (recognised.kind === 'pem') {
    const decoder = findScreen(rooms, 'decoder', 'decodePem')
    if (decoder === undefined || !satisfies(permission.View, decoder.needs)) return []
    return [
      {
        id: 'pem',
        group,
        label: t('Decode certificate'),
        detail: t('The text you pasted'),
        path: fillPath(decoder.path, {}),
        state: { pem: recognised.text },
      },
    ]
  }
  const { type: wanted, says } = searched[recognised.kind]
  // As long as there are no devices, an address is a name in a certificate.
  const elsewhere = recognised.kind === 'address' && !lists.includes(wanted)
  const type = elsewhere ? 'certificate' : wanted
  const search = rooms.screens.find((screen) => screen.path.includes(':searchType') && shownScreens(rooms).has(screenKey(screen)))
  if (search === undefined || !satisfies(permission.View, search.needs) || !lists.includes(type)) return []
  return [
    {
      id: recognised.kind,
      group,
      label: elsewhere ? t('Find the certificates with address {text}', { text: recognised.text }) : t(says, { text: recognised.text }),
      path: `${fillPath(search.path, { searchType: type })}?text=${encodeURIComponent(recognised.text)}`,
    },
  ]
}
