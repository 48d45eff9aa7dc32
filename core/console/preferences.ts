// What a person chose on this machine: one key in local storage. Everything else in local storage is cleared at start.

import { create } from 'zustand'
import { isLocale, localeOf, type Locale } from './text.ts'

export type SavedView = { name: string; path: string; query: string }

/** A screen with its parameters filled in, as the palette and the navigation name it. */
export type Place = { path: string; label: string }

export type RecentRecord = Place & { kind: string; of: string }

export type Density = 'dense' | 'normal' | 'roomy'

export type Preferences = {
  theme: 'light' | 'dark' | 'auto'
  locale: Locale
  /** Per list: the columns hidden, the order, and how many rows a page shows. */
  lists: Record<string, { hidden?: string[]; order?: string[]; size?: number }>
  /** How high the rows of lists are. */
  density: Density
  views: Record<string, SavedView[]>
  pinned: Place[]
  /** The cards of the home page by their keys: in the person's order, and those left out. */
  home: { order: string[]; hidden: string[] }
  recent: Place[]
  /** Pages of records, each with what kind it is and whose it is: a person in a tenancy. */
  recentRecords: RecentRecord[]
  shortcuts: boolean
  railOpen: boolean
  /** Groups of the menu that the person closed, or opened, against what they are by themselves. */
  closedGroups: Record<string, boolean>
  /** How dates are written; empty as the console's own language does, and in the browser's own time. */
  dateLocale: string
  timeZone: string
}

export const preferencesKey = 'chancery.settings'

const defaults: Preferences = {
  theme: 'auto',
  locale: localeOf(navigator.languages),
  lists: {},
  density: 'normal',
  views: {},
  pinned: [],
  home: { order: [], hidden: [] },
  recent: [],
  recentRecords: [],
  shortcuts: true,
  railOpen: true,
  closedGroups: {},
  dateLocale: '',
  timeZone: '',
}

export const preferencesStore = create<Preferences>(() => defaults)

/** Reads the settings and clears every other key. Settings that cannot be read are as good as none. */
export function startPreferences(storage: Storage = localStorage): void {
  const stored = storage.getItem(preferencesKey)
  storage.clear()
  preferencesStore.setState(readPreferences(stored), true)
  preferencesStore.subscribe((state) => storage.setItem(preferencesKey, JSON.stringify(state)))
  if (stored !== null) storage.setItem(preferencesKey, JSON.stringify(preferencesStore.getState()))
}

export function readPreferences(text: string | null): Preferences {
  const read = parsed(text)
  const object = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    ...defaults,
    ...(read.theme === 'light' || read.theme === 'dark' ? { theme: read.theme } : {}),
    ...(isLocale(read.locale) ? { locale: read.locale } : {}),
    ...(object(read.lists) ? { lists: read.lists } : {}),
    ...(read.density === 'dense' || read.density === 'roomy' ? { density: read.density } : {}),
    ...(object(read.views) ? { views: read.views } : {}),
    ...(Array.isArray(read.pinned) ? { pinned: read.pinned } : {}),
    ...(isArrangement(read.home) ? { home: read.home } : {}),
    ...(Array.isArray(read.recent) ? { recent: read.recent } : {}),
    ...(Array.isArray(read.recentRecords) ? { recentRecords: read.recentRecords } : {}),
    ...(typeof read.shortcuts === 'boolean' ? { shortcuts: read.shortcuts } : {}),
    ...(typeof read.railOpen === 'boolean' ? { railOpen: read.railOpen } : {}),
    ...(object(read.closedGroups) ? { closedGroups: read.closedGroups } : {}),
    ...(isDateLocale(read.dateLocale) ? { dateLocale: read.dateLocale } : {}),
    ...(isTimeZone(read.timeZone) ? { timeZone: read.timeZone } : {}),
  }
}

const isArrangement = (value: unknown): value is Preferences['home'] =>
  typeof value === 'object' && value !== null && ['order', 'hidden'].every((part) => Array.isArray(Object(value)[part]))

/** What Intl would throw at is as good as none. */
const accepted = (make: () => unknown): boolean => {
  try {
    return make() !== undefined
  } catch {
    return false
  }
}
const isDateLocale = (name: unknown): name is string => typeof name === 'string' && name !== '' && accepted(() => new Intl.Locale(name))
const isTimeZone = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && accepted(() => new Intl.DateTimeFormat('en-GB', { timeZone: name }))

function parsed(text: string | null): Partial<Preferences> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

export const usePreference = <K extends keyof Preferences>(name: K): Preferences[K] => preferencesStore((state) => state[name])

export const setPreference = <K extends keyof Preferences>(name: K, value: Preferences[K]): void =>
  preferencesStore.setState({ [name]: value })

const mostRecent = 8

export function togglePinned(place: Place): void {
  const { pinned } = preferencesStore.getState()
  const without = pinned.filter((one) => one.path !== place.path)
  setPreference('pinned', without.length < pinned.length ? without : [...pinned, place])
}

/** One place up or down among the pinned ones. */
export function movePinned(path: string, by: -1 | 1): void {
  const { pinned } = preferencesStore.getState()
  const at = pinned.findIndex((place) => place.path === path)
  const [one, other] = [pinned[at], pinned[at + by]]
  if (one !== undefined && other !== undefined) setPreference('pinned', pinned.with(at, other).with(at + by, one))
}

/** Puts a place first among the recent ones of the palette. */
export function visited(path: string, label: string): void {
  const { recent } = preferencesStore.getState()
  setPreference('recent', [{ path, label }, ...recent.filter((place) => place.path !== path)].slice(0, mostRecent))
}

/** Whose the recent records are: what one person has seen in one tenancy is shown to no other. */
export const recordsOf = ({ id, tenantId }: { id: string; tenantId: string }): string => `${id} ${tenantId}`

/** The same among the records, by the name that its page gives it. */
export function visitedRecord(record: RecentRecord): void {
  const { recentRecords } = preferencesStore.getState()
  const others = recentRecords.filter(({ path, of }) => path !== record.path || of !== record.of)
  setPreference('recentRecords', [record, ...others].slice(0, mostRecent))
}
