import { beforeEach, describe, expect, test } from 'vitest'
import type { Screen } from '#core/contract/contract.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { movePinned, preferencesKey, preferencesStore, readPreferences, setPreference, startPreferences } from '../preferences.ts'
import { activeItem, belongsHere, buttonsOf, menuOf, openTab, settingsAround, sideMenuOf, trailOf, type Params } from './navigation.ts'
import { foundSettings } from './settings-search.ts'

const all = { View: ['tenancyConfig'], Menu: ['tenancyConfig'], activeMenu: ['tenancyConfig'], api: [], roles: [], isManager: true }
const screens: Screen[] = [
  {
    area: 'tenancy',
    name: 'config',
    path: '/config/tenancy',
    needs: 'tenancyConfig',
    title: 'Tenancy',
    menu: { group: 'settings', entry: 'tenancy', tab: 'This tenancy' },
  },
  {
    area: 'tenancy',
    name: 'list',
    path: '/config/tenancy/managed',
    needs: 'tenancyConfig',
    title: 'Managed tenancies',
    menu: { group: 'settings', entry: 'tenancy', tab: 'Managed tenancies', management: true },
  },
]
const shown = new Set(['tenancy.config', 'tenancy.list'])
const labels = (management?: boolean) =>
  menuOf(screens, shown, { permission: all, ...(management === undefined ? {} : { management }) }).flatMap(({ items }) =>
    items.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
  )

describe('the menu', () => {
  test('shows what is of the whole installation to people of the management tenancy, and to nobody else', () => {
    expect(labels(true)).toEqual(['This tenancy', 'Managed tenancies'])
    expect(labels(false)).toEqual(['This tenancy'])
    expect(labels()).toEqual(['This tenancy'])
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

const pki: Screen[] = [
  {
    area: 'authorities',
    name: 'manage',
    path: '/ca/:id?',
    needs: 'manageCAs',
    title: 'Authorities',
    single: 'Authority',
    menu: { group: 'pki', entry: 'authorities', tab: 'List', place: 10 },
  },
  {
    area: 'health',
    name: 'overview',
    path: '/health',
    needs: 'monitor',
    title: 'Health',
    menu: { group: 'pki', entry: 'authorities', tab: 'Health', place: 30, more: [{ tab: 'Failed', query: '?state=failed' }] },
  },
  { area: 'authorities', name: 'renew', path: '/ca/:id/renew', needs: 'manageCAs', title: 'Renew authority', parent: 'manage' },
  { area: 'health', name: 'check', path: '/health/:check', needs: 'signedIn', title: 'Check', parent: 'overview' },
  { area: 'health', name: 'log', path: '/health/:check/log', needs: 'monitor', title: 'Log', parent: 'health.check' },
  { area: 'setup', name: 'first', path: '/ca-setup', needs: 'manageCAs', title: 'Set up', parent: 'authorities.manage', button: 'Set up' },
]
const who = (...granted: Permission[]) => ({ ...all, View: granted, Menu: granted, activeMenu: granted })
const keys = new Set(pki.map(({ area, name }) => `${area}.${name}`))
const named = (name: string) => pki.find((screen) => screen.name === name)
const above = (name: string, params: Params, permission = who('manageCAs', 'monitor'), inside = false) => {
  const screen = named(name)
  if (screen === undefined) throw new TypeError(`No screen ${name}`)
  return trailOf({ screen, params, inside, sections: menuOf(pki, keys, { permission }), screens: pki, permission }).map(
    ({ label, path = '' }) => `${label} ${path}`,
  )
}

describe('an entry with several screens', () => {
  const sections = menuOf(pki, keys, { permission: who('manageCAs', 'monitor') })

  test('is one line of the menu, which opens the first screen that the person may see', () => {
    expect(sections.map(({ items }) => items.map(({ label, path }) => [label, path]))).toEqual([[['Authorities', '/ca']]])
    expect(menuOf(pki, keys, { permission: who('monitor') }).flatMap(({ items }) => items.map(({ path }) => path))).toEqual(['/health'])
    expect(menuOf(pki, keys, { permission: who() })).toEqual([])
  })

  test('has its tabs in their order, each at its own address', () => {
    const [item] = sections[0]?.items ?? []
    expect(item?.tabs.map(({ label, path }) => [label, path])).toEqual([
      ['List', '/ca'],
      ['Health', '/health'],
      ['Failed', '/health?state=failed'],
    ])
    const open = (pathname: string, search = '') => openTab(item?.tabs ?? [], { pathname, search })?.label
    expect([open('/ca/'), open('/health'), open('/health', '?state=failed&page=2'), open('/health', '?page=2'), open('/else')]).toEqual([
      'List',
      'Health',
      'Failed',
      'Health',
      undefined,
    ])
  })

  test('is lit on every page below it', () => {
    for (const screen of pki) expect(activeItem(sections, screen, pki)?.key).toBe('pki.authorities')
    expect(activeItem(sections, undefined, pki)).toBeUndefined()
  })
})

test('an entry leads whoever may not search past its list, which the search hosts, to the screen that opens', () => {
  const people: Screen[] = [
    {
      area: 'organisations',
      name: 'organisationList',
      path: '/search/organisation',
      needs: 'orgView',
      title: 'Organisations',
      lists: 'organisation',
      menu: { group: 'people', entry: 'organisations', tab: 'List', place: 10 },
    },
    {
      area: 'organisations',
      name: 'tree',
      path: '/identity/organisation/tree',
      needs: 'orgTree',
      title: 'Organisation tree',
      menu: { group: 'people', entry: 'organisations', tab: 'Tree', place: 20 },
    },
  ]
  const shown = new Set(people.map(({ area, name }) => `${area}.${name}`))
  const paths = (...names: Permission[]) =>
    menuOf(people, shown, { permission: who(...names) }).flatMap(({ items }) => items.flatMap(({ tabs }) => tabs.map(({ path }) => path)))
  expect(paths('orgView', 'orgTree')).toEqual(['/identity/organisation/tree'])
  expect(paths('orgView', 'orgTree', 'search')).toEqual(['/search/organisation', '/identity/organisation/tree'])
})

test('what any address opens stands in the menu of those alone who can use it', () => {
  const scans: Screen[] = [
    {
      area: 'discovery',
      name: 'config',
      path: '/config/discovery',
      needs: 'signedIn',
      title: 'Scans',
      menu: { group: 'certificates', entry: 'discovery', needs: 'networkScanReport' },
    },
  ]
  const entries = (...names: Permission[]) => menuOf(scans, new Set(['discovery.config']), { permission: who(...names) }).length
  expect([entries('orgView'), entries('networkScanReport')]).toEqual([0, 1])
})

describe('what stands above a page', () => {
  test('is its group, its entry, its tab, and the screens between', () => {
    expect(above('manage', {})).toEqual([])
    expect(above('manage', { id: '7' }, undefined, true)).toEqual(['PKI & keys ', 'Authorities /ca'])
    expect(above('renew', { id: '7' })).toEqual(['PKI & keys ', 'Authorities /ca', 'Authority /ca/7'])
    expect(above('check', { check: 'crl' })).toEqual(['PKI & keys ', 'Authorities /ca', 'Health /health'])
    expect(above('log', { check: 'crl' })).toEqual(['PKI & keys ', 'Authorities /ca', 'Health /health', 'Check /health/crl'])
  })

  test('leaves out what the person may not see', () => {
    expect(above('check', { check: 'crl' }, who('manageCAs'))).toEqual(['PKI & keys ', 'Authorities /ca'])
    expect(above('check', { check: 'crl' }, who())).toEqual([])
  })
})

test('a screen of another room is a button where its contract says so, for who may open it', () => {
  const [list] = pki
  if (list === undefined) throw new TypeError('No list')
  expect(buttonsOf(list, pki, keys, who('manageCAs')).map(({ button }) => button)).toEqual(['Set up'])
  expect(buttonsOf(list, pki, keys, who('monitor'))).toEqual([])
  expect(buttonsOf(list, pki, new Set(), who('manageCAs'))).toEqual([])
})

describe('the settings', () => {
  const [config] = screens
  const sections = menuOf(screens, shown, { permission: all, management: true })

  test('are one entry of the menu, and a navigation of their own on each of their pages', () => {
    expect(sideMenuOf(sections).map(({ items }) => items.map(({ label, path }) => `${label} ${path}`))).toEqual([
      ['Settings /config/tenancy'],
    ])
    expect(settingsAround(sections, config, screens)?.items.flatMap(({ tabs }) => tabs.map(({ label }) => label))).toEqual([
      'This tenancy',
      'Managed tenancies',
    ])
    expect(settingsAround(sections, pki[0], [...screens, ...pki])).toBeUndefined()
  })

  test('have no navigation of their own where there is one page of them', () => {
    const alone = menuOf(screens, shown, { permission: all })
    expect(settingsAround(alone, config, screens)).toBeUndefined()
  })

  test('are found by every word of their name, their subject and what people call them', () => {
    const items = sections.flatMap((section) => section.items)
    const find = (text: string) =>
      foundSettings(
        items,
        text,
        () => ({ title: 'Tenancy', also: 'colour, logo' }),
        (word) => word,
      ).flatMap(({ tabs }) => tabs.map(({ label }) => label))
    expect(find('')).toHaveLength(2)
    expect(find('managed TENANCY')).toEqual(['Managed tenancies'])
    expect(find('logo')).toHaveLength(2)
    expect(find('logo card')).toEqual([])
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
