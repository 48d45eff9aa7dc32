import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import roles from '#areas/roles/console/index.ts'
import { roles as roleContract } from '#areas/roles/contract.ts'
import users from '#areas/users/console/index.ts'
import { users as userContract } from '#areas/users/contract.ts'
import { preferencesStore, setPreference } from '#core/console/preferences.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showRoutes, showScreen, testViewer } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { search } from '../contract.ts'
import { followViews } from './saved-views.ts'
import { Search } from './Search.tsx'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
roomsStore.setState({
  consoleModules: [roles, users],
  screens: [],
  records: [roleContract, userContract].flatMap((contract) => Object.values(contract.records)),
})
beforeEach(() => as(acme.administrator))

const open = (at: string) => showScreen(<Search />, { at, path: '/search/:searchType?' })

describe('Search', () => {
  it('leads from everything to each list that is offered, and finds it again as it was left', async () => {
    const shown = open('/search/user?text=grace')
    await screen.findByRole('link', { name: 'Administrator, Grace' })
    // A list stands in the menu, and has no tabs of others.
    expect(screen.queryByRole('navigation', { name: 'What to search' })).toBeNull()
    await shown.router.navigate('/search')
    const tabs = within(await screen.findByRole('navigation', { name: 'What to search' }))
    expect(tabs.getAllByRole('link').map((link) => link.textContent)).toEqual(['Everything', 'Users', 'Roles'])
    expect(tabs.getByRole('link', { name: 'Everything' }).getAttribute('aria-current')).toBe('page')
    await expectAccessible()
    await shown.user.click(tabs.getByRole('link', { name: 'Users' }))
    await waitFor(() => expect(shown.router.state.location.search).toBe('?text=grace'))
  })

  it('searches everything at once', async () => {
    const shown = open('/search')
    await screen.findByText('Search over everything')
    expect((await screen.findByRole('link', { name: /^Active\s*1$/ })).getAttribute('href')).toBe('/search/user?status=active')
    await expectAccessible()
    await shown.user.type(screen.getByRole('searchbox', { name: 'Search everything' }), 'admin')
    await screen.findByRole('link', { name: /Grace Administrator/ })
    const people = within(await screen.findByRole('region', { name: 'Users' }))
    expect(people.getByRole('link', { name: /Grace Administrator/ }).getAttribute('href')).toBe(
      `/identity/user/view/${acme.administrator.id}`,
    )
    expect(within(screen.getByRole('region', { name: 'Roles' })).getByRole('link', { name: /^Administrator/ })).toBeDefined()
    await waitFor(() => expect(shown.router.state.location.search).toBe('?text=admin'))
    expect(people.getByRole('link', { name: 'Open as a list' }).getAttribute('href')).toBe('/search/user?text=admin')
    await expectAccessible()
    await shown.user.type(screen.getByRole('searchbox', { name: 'Search everything' }), 'xyz')
    expect(await screen.findByText('Nothing matches “adminxyz”')).toBeDefined()
  })

  it('follows the address, and what is typed goes there', async () => {
    const shown = open('/search?text=admin')
    await screen.findByRole('region', { name: 'Users' })
    await shown.router.navigate('/search?text=grace')
    const box = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search everything' })
    await waitFor(() => expect(box.value).toBe('grace'))
    await screen.findByRole('link', { name: /Grace Administrator/ })
    await shown.user.type(box, ' a')
    await waitFor(() => expect(shown.router.state.location.search).toBe('?text=grace+a'))
    await shown.router.navigate(-1)
    await waitFor(() => expect(box.value).toBe('admin'))
  })

  it('clears a list also of what is being typed', async () => {
    const shown = open('/search/user?status=active')
    await screen.findByRole('link', { name: 'Administrator, Grace' })
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const box = screen.getByRole<HTMLInputElement>('searchbox')
    fireEvent.change(box, { target: { value: 'zzz' } })
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(shown.router.state.location.search).toBe(''))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([shown.router.state.location.search, box.value]).toEqual(['', ''])
  })

  it('says so where there is no such list, and leads away who may not search', async () => {
    const shown = open('/search/dragon')
    expect(await screen.findByText('There is no such list, or not for you')).toBeDefined()
    shown.unmount()
    // Who may search and see no users meets the search, and is not turned away.
    const searching = showScreen(<Search />, {
      at: '/search/user',
      path: '/search/:searchType?',
      viewer: { permission: { ...testViewer.permission, View: ['search', 'roleView'] } },
    })
    expect(await screen.findByText('There is no such list, or not for you')).toBeDefined()
    const others = within(screen.getByRole('navigation', { name: 'What to search' }))
    expect(others.getAllByRole('link').map((link) => link.textContent)).toEqual(['Everything', 'Roles'])
    searching.unmount()
    const denied = showRoutes(
      [
        { path: '/search/user', element: <Search /> },
        { path: '*', element: <p>Elsewhere</p> },
      ],
      {
        at: '/search/user',
        viewer: { permission: { ...testViewer.permission, View: ['userView'] } },
      },
    )
    expect(denied.router.state.location.pathname).toBe('/denied')
  })
})

describe('Saved views', () => {
  const view = { name: 'Disabled people', path: '/search/user', query: '?status=disabled' }

  it('come with the person, and go to the server when they are saved or removed', async () => {
    const { administrator } = acme
    await administrator.call(search.calls.keepView, { list: 'users.all', ...view })
    const shown = showScreen(<Search />, { at: '/search', path: '/search/:searchType?', viewer: { id: administrator.id } })
    await followViews(administrator.id)
    const link = await screen.findByRole('link', { name: /Disabled people/ })
    expect(link).toHaveProperty('pathname', '/search/user')
    expect(link.textContent).toBe('Disabled peopleUsers')
    await expectAccessible()
    setPreference('views', { ...preferencesStore.getState().views, 'roles.all': [{ name: 'Own roles', path: '/search/role', query: '' }] })
    await waitFor(async () =>
      expect((await administrator.call(search.calls.views, {})).views.map(({ name }) => name)).toEqual(['Disabled people', 'Own roles']),
    )
    setPreference('views', {})
    await waitFor(async () => expect((await administrator.call(search.calls.views, {})).views).toEqual([]))
    shown.unmount()
  })
})
