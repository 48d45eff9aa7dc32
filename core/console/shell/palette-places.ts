// Where the palette can go: recent places, every screen that needs no parameters, saved views, and what a recognised text leads to.

import { fillPath, paramNames } from '#core/contract/paths.ts'
import { satisfies, type ViewerPermission } from '#core/contract/permissions.ts'
import type { RecordKind } from '#core/contract/records.ts'
import { recordDetail } from '../kit/record-detail.ts'
import { setPreference, type Preferences } from '../preferences.ts'
import { findScreen, shownScreens, screenKey, type Rooms } from '../rooms.ts'
import type { FoundRecord } from '../slots.ts'
import { t } from '../text.ts'
import { belongsHere } from './navigation.ts'
import type { PageAction } from './page-actions.ts'
import type { Recognised } from './palette-rank.ts'

export type Destination = { id: string; group: string; label: string; detail?: string; path: string; state?: unknown; run?: () => void }

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
        satisfies(permission.View, screen.needs),
    )
    .flatMap((screen) => {
      const params = screen.menu?.params ?? {}
      const open = paramNames(screen.path).every((name) => params[name] !== undefined || screen.path.includes(`:${name}?`))
      if (!open || screen.path.includes('*')) return []
      const label = t(screen.title)
      return [{ id: screenKey(screen), group: t('Go to'), label, path: fillPath(screen.path, params) }]
    })
  return places.filter((place, at) => places.findIndex((other) => other.path === place.path) === at)
}

/** Each name once: two certificates' pages are told apart by their records, not here. */
export const recentPlaces = (recent: Preferences['recent']): Destination[] =>
  recent
    .filter((place, at) => recent.findIndex((other) => other.label === place.label) === at)
    .map(({ path, label }) => ({ id: `recent ${path}`, group: t('Recent'), label: t(label), path }))

export const viewPlaces = (views: Preferences['views']): Destination[] =>
  Object.values(views)
    .flat()
    .map((view) => ({ id: `view ${view.path}${view.query}`, group: t('Saved views'), label: view.name, path: view.path + view.query }))

/** The page's own buttons, and what the account menu does. */
export function actionPlaces(
  actions: readonly PageAction[],
  { signOut, help }: { signOut: () => void; help?: (() => void) | undefined },
): Destination[] {
  const themes: [Preferences['theme'], string][] = [
    ['light', 'Light theme'],
    ['dark', 'Dark theme'],
    ['auto', 'System theme'],
  ]
  return [
    ...actions.map(({ label, run }) => ({ id: `action ${label}`, group: t('Actions on this page'), label, path: '', run })),
    ...(help === undefined ? [] : [{ id: 'help', group: t('Actions'), label: t('Help on this page'), path: '', run: help }]),
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

export const recordPlaces = (found: readonly FoundRecord[], kinds: readonly RecordKind[]): Destination[] =>
  found.map((record) => ({
    id: `${record.type} ${record.id}`,
    group: t(kinds.find(({ name }) => name === record.type)?.plural ?? record.type),
    label: record.label,
    detail: recordDetail(record),
    path: record.path,
  }))

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
  const { type, says } = searched[recognised.kind]
  const search = rooms.screens.find((screen) => screen.path.includes(':searchType') && shownScreens(rooms).has(screenKey(screen)))
  if (search === undefined || !satisfies(permission.View, search.needs) || !lists.includes(type)) return []
  return [
    {
      id: recognised.kind,
      group,
      label: t(says, { text: recognised.text }),
      path: `${fillPath(search.path, { searchType: type })}?text=${encodeURIComponent(recognised.text)}`,
    },
  ]
}
