import { describe, expect, test } from 'vitest'
import { menuGroups, mostEntries } from './menu.ts'
import { placeFaults, type Located } from './places.ts'
import { listScreens, type RecordShape } from './records.ts'

const at = (name: string, more: Partial<Located>): Located => ({
  area: 'parcels',
  name,
  path: `/${name}`,
  needs: 'search',
  title: name,
  ...more,
})
const list = at('list', { menu: { group: 'support', entry: 'tickets' } })
const faults = (...screens: Located[]) => placeFaults([list, ...screens])

describe('The map of the navigation', () => {
  test('has at most eight entries in a group, but for the settings', () => {
    const full = Object.entries(menuGroups).filter(([, { entries }]) => Object.keys(entries).length > mostEntries)
    expect(full.map(([group]) => group)).toEqual(['settings'])
  })

  test('calls no two entries of a group alike', () => {
    for (const { entries } of Object.values(menuGroups)) expect(new Set(Object.values(entries)).size).toBe(Object.keys(entries).length)
  })
})

describe('The list of a kind of record', () => {
  test('stands in the menu, below a screen of its room, or below the search', () => {
    const kind = { singular: 'Parcel', plural: 'Parcels', needs: 'search' } as const
    const placeOf = (list: RecordShape['list']) => listScreens('parcels', { parcel: { ...kind, ...(list && { list }) } })['parcelList']
    expect(placeOf({ parent: 'parcels.manage' })).toMatchObject({ path: '/search/parcel', parent: 'parcels.manage' })
    expect(placeOf({})).toMatchObject({ parent: 'search.search' })
    expect(placeOf({ menu: { group: 'support', entry: 'tickets' } })?.parent).toBeUndefined()
  })
})

describe('The place of a screen', () => {
  test('is taken where it stands in the menu, or below what does', () => {
    expect(
      faults(at('view', { path: '/view/:id', parent: 'list' }), at('edit', { path: '/view/:id/edit', parent: 'parcels.view' })),
    ).toEqual([])
    expect(faults(at('sign', { needs: 'public' }))).toEqual([])
  })

  test('is refused below what is not there, nowhere, twice or in a circle', () => {
    expect(faults(at('view', { parent: 'attic' }))).toEqual(['parcels.view: there is no screen parcels.attic'])
    expect(faults(at('view', { parent: 'attics.list' }))).toEqual(['parcels.view: there is no screen attics.list'])
    expect(faults(at('view', {}))).toEqual(['parcels.view: stands in no menu and names no parent'])
    expect(faults(at('view', { menu: { group: 'support', entry: 'news' }, parent: 'list' }))).toEqual([
      'parcels.view: stands in the menu and names a parent besides',
    ])
    expect(faults(at('a', { parent: 'b' }), at('b', { parent: 'a' }))).toEqual([
      'parcels.a: nothing above it stands in the menu',
      'parcels.b: nothing above it stands in the menu',
    ])
  })

  test('is refused in a group or an entry that the map has not', () => {
    const lost = JSON.parse('[{ "group": "attic", "entry": "keys" }, { "group": "pki", "entry": "attic" }]')
    expect(lost.flatMap((menu: Located['menu']) => placeFaults([{ ...list, ...(menu === undefined ? {} : { menu }) }]))).toEqual([
      'parcels.list: there is no group attic in the menu',
      'parcels.list: the group pki has no entry attic',
    ])
  })

  test('is refused beside others without a tab, or with the tab of another', () => {
    expect(faults(at('mine', { menu: { group: 'support', entry: 'tickets', tab: 'Mine' } }))).toEqual([
      'support.tickets: each of parcels.list, parcels.mine needs a tab',
    ])
    const tab = (name: string) => at(name, { menu: { group: 'support', entry: 'news', tab: 'New' } })
    expect(faults(tab('a'), tab('b'))).toEqual(['support.news: two tabs are called New'])
  })

  test('is refused where an address could not be filled', () => {
    expect(faults(at('one', { path: '/one/:id', menu: { group: 'support', entry: 'news' } }))).toEqual([
      'parcels.one: the menu does not fill id of its path',
    ])
    expect(faults(at('view', { path: '/view/:id', parent: 'list' }), at('edit', { path: '/edit', parent: 'view' }))).toEqual([
      'parcels.edit: its path does not tell id of its parent',
    ])
    expect(faults(at('view', { path: '/view/:id', parent: 'list', button: 'View' }))).toEqual([
      'parcels.view: its parent cannot lead to it, whose path needs more',
    ])
  })
})
