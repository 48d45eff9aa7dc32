import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { bootstrapStore } from '#core/console/bootstrap.ts'
import { forgetSession } from '#core/console/leave-session.ts'
import { preferencesStore, togglePinned } from '#core/console/preferences.ts'
import { expectAccessible, showScreen, testViewer } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { preferences } from '../contract.ts'
import { keepPreferences } from './keep.ts'
import { MySettings } from './MySettings.tsx'
import { NewPeople } from './NewPeople.tsx'
import { NewRoles } from './NewRoles.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson
const start = preferencesStore.getState()

beforeAll(async () => {
  ada = await (await house.tenancy('Acme')).person({ permissions: ['userView', 'roleView'], givenName: 'Ada', familyName: 'Lovelace' })
})
beforeEach(() => {
  preferencesStore.setState(start, true)
  as(ada)
})

const savedPaths = async () => (await ada.call(preferences.calls.favourites, { userId: ada.id })).savedfavourites.map(({ path }) => path)
const page = () => showScreen(<MySettings />, { at: '/self/settings', viewer: { ...testViewer, id: ada.id } })

test('favourites come with the person, go with the person, and every change is kept', async () => {
  await ada.call(preferences.calls.setFavourites, { query: [{ path: '/home', label: 'Home' }], userID: ada.id })
  await ada.call(preferences.calls.saveSettings, { dateLocale: 'en-NZ', timeZone: 'Pacific/Auckland' })
  preferencesStore.setState({ pinned: [{ path: '/of/another', label: 'Of somebody before' }] })
  const { unmount } = page()
  const stop = keepPreferences()
  await waitFor(() =>
    expect(preferencesStore.getState()).toMatchObject({
      pinned: [{ path: '/home', label: 'Home' }],
      dateLocale: 'en-NZ',
      timeZone: 'Pacific/Auckland',
    }),
  )
  togglePinned({ path: '/search/user', label: 'Users' })
  await waitFor(async () => expect(await savedPaths()).toEqual(['/home', '/search/user']))
  unmount()
  forgetSession()
  expect([preferencesStore.getState().pinned, preferencesStore.getState().timeZone]).toEqual([[], ''])
  expect(await savedPaths()).toEqual(['/home', '/search/user'])
  stop()
  expect(bootstrapStore.getState().bootstrap?.viewer).toBeUndefined()
})

test('a page that is pinned or unpinned before the favourites have arrived is not lost', async () => {
  const query = [
    { path: '/home', label: 'Home' },
    { path: '/about', label: 'About' },
  ]
  await ada.call(preferences.calls.setFavourites, { query, userID: ada.id })
  preferencesStore.setState({ pinned: query })
  page()
  const stop = keepPreferences()
  togglePinned({ path: '/search/user', label: 'Users' })
  togglePinned({ path: '/home', label: 'Home' })
  await waitFor(async () => expect(await savedPaths()).toEqual(['/about', '/search/user']))
  expect(preferencesStore.getState().pinned.map(({ path }) => path)).toEqual(['/about', '/search/user'])
  stop()
})

test('dates are shown as chosen, and pinned pages put in order by buttons', async () => {
  await ada.call(preferences.calls.saveSettings, { dateLocale: '', timeZone: '' })
  preferencesStore.setState({
    pinned: [
      { path: '/a', label: 'Page A' },
      { path: '/b', label: 'Page B' },
    ],
  })
  const { user } = page()
  await user.click(await screen.findByRole('combobox', { name: /^Dates are written/ }))
  await user.click(await screen.findByRole('option', { name: 'English (New Zealand)' }))
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Save settings' }))
  await waitFor(() => expect(preferencesStore.getState().dateLocale).toBe('en-NZ'))
  expect(await ada.call(preferences.calls.settings, {})).toMatchObject({ dateLocale: 'en-NZ', timeZone: '' })
  const names = () =>
    within(screen.getByRole('list', { name: 'Pinned pages' }))
      .getAllByRole('link')
      .map((link) => link.textContent)
  await user.click(screen.getByRole('button', { name: 'Move Page B up' }))
  expect(names()).toEqual(['Page B', 'Page A'])
  await user.click(screen.getByRole('button', { name: 'Unpin Page A' }))
  expect(names()).toEqual(['Page B'])
  await expectAccessible()
})

test('new people and roles are shown by week, each of the newest leading to its page', async () => {
  showScreen(
    <>
      <NewPeople />
      <NewRoles />
    </>,
    { at: '/home' },
  )
  const people = within(await screen.findByRole('list', { name: 'New people by week' }))
  expect(people.getAllByRole('listitem')).toHaveLength(12)
  expect((await screen.findByRole('link', { name: 'Ada Lovelace' })).getAttribute('href')).toBe(`/identity/user/view/${ada.id}`)
  expect(screen.getByRole('link', { name: 'All people' }).getAttribute('href')).toBe('/search/user')
  await screen.findByRole('list', { name: 'New roles by week' })
  expect(screen.getByRole('link', { name: `Role of ${ada.username}` })).toBeDefined()
  await expectAccessible()
})
