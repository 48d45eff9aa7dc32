import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson, TestTenancy } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { roles } from '../contract.ts'
import { builtInNames } from '../role-name.tsx'
import { builtInRoles } from '../rules.ts'
import { AddRole } from './AddRole.tsx'
import { CompareRoles } from './CompareRoles.tsx'
import { EditRole } from './EditRole.tsx'
import { RoleCreation } from './RoleCreation.tsx'
import { RoleList } from './RoleList.tsx'
import { ViewRole } from './ViewRole.tsx'

const { house, as } = await houseForScreens()
let acme: TestTenancy
let grace: TestPerson

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  grace = acme.administrator
})
beforeEach(() => as(grace))

const builtIn = async (name: string): Promise<string> => (await grace.call(roles.calls.search, { text: name })).rows[0]?.id ?? ''

it('each built-in role has its name in every language', () => {
  expect(Object.keys(builtInNames)).toEqual(builtInRoles.map(({ name }) => name))
})

describe('Roles', () => {
  it('are listed with how many people have them, as a link to those people', async () => {
    const id = await builtIn('Administrator')
    showScreen(<RoleList />, { at: '/search/role' })
    const row = within(await screen.findByRole('row', { name: /Administrator/ }))
    expect(row.getByRole('link', { name: '1' }).getAttribute('href')).toBe(`/search/user?roleId=${id}`)
    await expectAccessible()
  })

  it('are shown with what they grant, and copied', async () => {
    const id = await builtIn('Auditor')
    showScreen(<ViewRole />, { at: `/identity/role/view/${id}`, path: '/identity/role/view/:id' })
    const table = within(await screen.findByRole('table', { name: 'Permissions' }))
    expect(table.getByRole('rowheader', { name: /See the audit log/ })).toBeDefined()
    expect(table.queryByRole('rowheader', { name: /Add users/ })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Edit role' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Copy role' }).getAttribute('href')).toBe(`/identity/role/add?from=${id}`)
    await expectAccessible()
  })

  it('are made by filtering and ticking a whole group', async () => {
    const shown = showScreen(<AddRole />, { at: '/identity/role/add' })
    await shown.user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'Desk')
    const filter = await screen.findByRole('searchbox', { name: 'Filter permissions' })
    await expectAccessible()
    await shown.user.fill(filter, 'tickets')
    const offered = (await grace.call(roles.calls.grantable, {})).permissions
    const marked = (name: string) => (offered.some((one) => one.name === name && one.inUse) ? name : `${name} · not in use yet`)
    expect(screen.getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual([
      'Support and time',
      `See tickets ${marked('ticketView')}`,
      `Raise tickets ${marked('ticketAdd')}`,
      `Handle tickets ${marked('ticketEdit')}`,
    ])
    await shown.user.click(screen.getByRole('checkbox', { name: 'API: all of Support and time' }))
    await shown.user.click(screen.getByRole('checkbox', { name: 'View: See tickets' }))
    expect(screen.getByText('3 permissions granted')).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Add role' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/^\/identity\/role\/view\//))
    const made = await grace.call(roles.calls.read, { id: shown.router.state.location.pathname.split('/').at(-1) ?? '' })
    expect(made).toMatchObject({ name: 'Desk', view: ['ticketView'], menu: [], api: ['ticketView', 'ticketAdd', 'ticketEdit'] })
  })

  it('give a permission in all three places by the tick before it', async () => {
    const shown = showScreen(<AddRole />, { at: '/identity/role/add' })
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Desk of one')
    const whole = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'All three: See tickets' })
    await shown.user.click(screen.getByRole('checkbox', { name: 'Menu: See tickets' }))
    expect(whole.indeterminate).toBe(true)
    await shown.user.click(whole)
    expect(screen.getByRole('checkbox', { name: 'API: See tickets' })).toHaveProperty('checked', true)
    await shown.user.click(screen.getByRole('button', { name: 'Add role' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/^\/identity\/role\/view\//))
    expect(await grace.call(roles.calls.read, { id: shown.router.state.location.pathname.split('/').at(-1) ?? '' })).toMatchObject({
      view: ['ticketView'],
      menu: ['ticketView'],
      api: ['ticketView'],
    })
  })

  it('cannot grant what the viewer lacks: the line is greyed and says why', async () => {
    const ida = await acme.person({ permissions: ['roleView', 'roleAdd', 'ticketView'] })
    as(ida)
    const shown = showScreen(<AddRole />, { at: '/identity/role/add' })
    const refused = await screen.findByRole('checkbox', { name: 'API: Add users' })
    expect(refused).toHaveProperty('disabled', true)
    expect(screen.getByText('Greyed: you do not hold it yourself, so you cannot give it away.')).toBeDefined()
    expect(screen.getByRole('checkbox', { name: 'API: See tickets' })).toHaveProperty('disabled', false)
    await shown.user.click(screen.getByRole('checkbox', { name: 'API: all shown' }))
    expect(screen.getByText('3 permissions granted')).toBeDefined()
    await expectAccessible()
  })

  it('are edited, keep their name unique, and stay as they are where built in', async () => {
    const { id } = await grace.call(roles.calls.add, { name: 'Harbour watch', view: ['search'] })
    const shown = showScreen(<EditRole />, { at: `/identity/role/edit/${id}`, path: '/identity/role/edit/:id' })
    const name = await screen.findByRole('textbox', { name: /^Name/ })
    await shown.user.fill(name, 'Auditor')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/A role with this name exists/)).length).toBeGreaterThan(0)
    await shown.user.fill(name, 'Day shift')
    await shown.user.keyboard('{Enter}')
    await waitFor(() => expect(shown.router.state.location.pathname).toBe(`/identity/role/view/${id}`))
    expect(await grace.call(roles.calls.read, { id })).toMatchObject({ name: 'Day shift', view: ['search'] })
    shown.unmount()

    showScreen(<EditRole />, { at: `/identity/role/edit/${await builtIn('Auditor')}`, path: '/identity/role/edit/:id' })
    expect(await screen.findByText('A built-in role stays as it is')).toBeDefined()
    await expectAccessible()
  })
})

describe('Two roles', () => {
  it('are compared from the list and by their address: what differs first, and the people of each', async () => {
    const { id: a } = await grace.call(roles.calls.add, { name: 'Alpha', view: ['certView'], menu: ['certView'], api: ['certView'] })
    const { id: b } = await grace.call(roles.calls.add, {
      name: 'Beta',
      view: ['certView', 'audit'],
      menu: ['certView'],
      api: ['certView'],
    })
    const list = showScreen(<RoleList />, { at: '/search/role' })
    for (const name of ['Alpha', 'Beta']) await list.user.click(await screen.findByRole('checkbox', { name: new RegExp(name) }))
    await list.user.click(screen.getByRole('button', { name: 'Compare' }))
    await waitFor(() =>
      expect(list.router.state.location.pathname + list.router.state.location.search).toBe(`/identity/role/compare?a=${a}&b=${b}`),
    )
    list.unmount()
    const shown = showScreen(<CompareRoles />, { at: `/identity/role/compare?a=${a}&b=${b}`, path: '/identity/role/compare' })
    const table = within(await screen.findByRole('table', { name: 'Permissions' }))
    expect(table.getByRole('row', { name: /See the audit log/ }).textContent).toContain('View')
    expect(table.queryByRole('row', { name: /See certificates/ })).toBeNull()
    await expectAccessible()
    await shown.user.click(screen.getByRole('switch', { name: 'Only what differs' }))
    expect(table.getAllByRole('rowheader').length).toBeGreaterThan(1)
  })
})

describe('A role', () => {
  it('is deleted once its name is typed, where people lose it', async () => {
    const { id } = await grace.call(roles.calls.add, { name: 'Harbour watch', api: ['certView'] })
    const person = await acme.person({ permissions: [] })
    const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: person.id })
    await grace.call(users.calls.change, { id: person.id, username, givenName, familyName, emailAddress, roleIds: [id] })
    const shown = showScreen(<ViewRole />, { at: `/identity/role/view/${id}`, path: '/identity/role/view/:id' })
    await shown.user.click(await screen.findByRole('button', { name: 'Delete role' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete Harbour watch?' }))
    expect(dialog.getByText(/^1 person loses it/)).toBeDefined()
    await shown.user.fill(dialog.getByRole('textbox'), 'Harbour watch')
    await shown.user.click(dialog.getByRole('button', { name: 'Delete role' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/search/role'))
    await expect(grace.call(roles.calls.read, { id })).rejects.toMatchObject({ status: 404 })
  })
})

describe('The dashboard of role creation', () => {
  it('begins a role from another, and shows those made lately, those of nobody, and powerful ones', async () => {
    const { id } = await grace.call(roles.calls.add, { name: 'Harbour pilots', view: ['search'] })
    const shown = showScreen(<RoleCreation />, { at: '/identity/role/creation' })
    const lately = within(await screen.findByRole('table', { name: 'Made lately' }))
    expect(lately.getByRole('row', { name: /^Harbour pilots/ }).textContent).toContain(grace.username)
    const nobody = within(screen.getByRole('table', { name: 'Roles that nobody has' }))
    expect(nobody.getByRole('link', { name: 'Harbour pilots' }).getAttribute('href')).toBe(`/identity/role/view/${id}`)
    expect(screen.getByRole('link', { name: 'From nothing' }).getAttribute('href')).toBe('/identity/role/add')
    await expectAccessible()
    await shown.user.click(screen.getByRole('combobox', { name: 'From another role' }))
    await shown.user.click(await screen.findByRole('option', { name: 'Harbour pilots' }))
    expect(screen.getByRole('link', { name: 'Copy role' }).getAttribute('href')).toBe(`/identity/role/add?from=${id}`)
  })
})
