import { beforeEach, describe, expect, test } from 'vitest'
import type { Screen } from '#core/contract/contract.ts'
import { movePinned, preferencesKey, preferencesStore, readPreferences, setPreference, startPreferences } from '../preferences.ts'
import { belongsHere, menuOf } from './navigation.ts'

const all = { View: ['tenancyConfig'], Menu: ['tenancyConfig'], activeMenu: ['tenancyConfig'], api: [], roles: [], isManager: true }
const screens: Screen[] = [
  { area: 'tenancy', name: 'config', path: '/config/tenancy', needs: 'tenancyConfig', title: 'Tenancy', menu: { group: 'settings' } },
  {
    area: 'tenancy',
    name: 'list',
    path: '/config/tenancy/managed',
    needs: 'tenancyConfig',
    title: 'Managed tenancies',
    menu: { group: 'settings', management: true },
  },
]
const shown = new Set(['tenancy.config', 'tenancy.list'])
const labels = (management?: boolean) =>
  menuOf(screens, shown, { permission: all, ...(management === undefined ? {} : { management }) }).flatMap(({ items }) =>
    items.map(({ label }) => label),
  )

describe('the menu', () => {
  test('shows what is of the whole installation to people of the management tenancy, and to nobody else', () => {
    expect(labels(true)).toEqual(['Tenancy', 'Managed tenancies'])
    expect(labels(false)).toEqual(['Tenancy'])
    expect(labels()).toEqual(['Tenancy'])
    expect(screens.map((screen) => belongsHere(screen, false))).toEqual([true, false])
  })

  test('shows no item of the menu whose screen does not open', () => {
    for (const permission of [
      { ...all, activeMenu: [] },
      { ...all, Menu: [] },
    ])
      expect(menuOf(screens, shown, { permission, management: true })).toEqual([])
  })
})

describe('what a person chose', () => {
  beforeEach(() => localStorage.clear())

  test('keeps the groups of the menu open or closed when the page is loaded again', () => {
    startPreferences()
    setPreference('closedGroups', { pki: true, settings: false })
    expect(readPreferences(localStorage.getItem(preferencesKey)).closedGroups).toEqual({ pki: true, settings: false })
  })

  test('moves a pinned place by one, and not beyond the ends', () => {
    const places = ['/a', '/b', '/c'].map((path) => ({ path, label: path }))
    setPreference('pinned', places)
    const order = () =>
      preferencesStore
        .getState()
        .pinned.map(({ path }) => path)
        .join('')
    movePinned('/c', -1)
    expect(order()).toBe('/a/c/b')
    movePinned('/a', -1)
    movePinned('/b', 1)
    movePinned('/none', 1)
    expect(order()).toBe('/a/c/b')
    movePinned('/a', 1)
    expect(order()).toBe('/c/a/b')
  })

  test('takes no zone and no way of writing dates that the browser would throw at', () => {
    expect(readPreferences('{"timeZone":"Mars/Olympus","dateLocale":"not a locale!"}')).toMatchObject({ timeZone: '', dateLocale: '' })
    expect(readPreferences('{"timeZone":"Pacific/Auckland","dateLocale":"en-NZ"}')).toMatchObject({
      timeZone: 'Pacific/Auckland',
      dateLocale: 'en-NZ',
    })
  })
})
