import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import sessions from '#areas/sessions/console/index.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { users } from '../contract.ts'
import { AddUser } from './AddUser.tsx'
import { EditUser } from './EditUser.tsx'
import { UserCreation } from './UserCreation.tsx'
import { UserList } from './UserList.tsx'
import { ViewUser } from './ViewUser.tsx'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
const grace = acme.administrator
roomsStore.setState({ consoleModules: [sessions] })
beforeEach(() => as(grace))

const viewer = () => ({ id: grace.id, username: grace.username })
const read = (id: string) => grace.call(users.calls.read, { id })

describe('The list of users', () => {
  it('shows the people, filters by status and by role, and leads to each', async () => {
    const ida = await acme.person({ permissions: ['userView'], givenName: 'Ida', familyName: 'Rhodes' })
    await grace.call(users.calls.add, { username: 'invited.one', givenName: 'New', familyName: 'Comer', emailAddress: 'new@example.org' })
    const shown = showScreen(<UserList />, { at: '/search/user' })
    expect((await screen.findByRole('link', { name: 'Rhodes, Ida' })).getAttribute('href')).toBe(`/identity/user/view/${ida.id}`)
    expect(screen.getByRole('link', { name: 'New user' }).getAttribute('href')).toBe('/identity/user/add')
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Status' }))
    await shown.user.click(await screen.findByRole('radio', { name: /^Invited\s*1$/ }))
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Rhodes, Ida' })).toBeNull())
    expect(screen.getByRole('link', { name: 'Comer, New' })).toBeDefined()
    shown.unmount()

    const [role] = (await read(ida.id)).roles
    showScreen(<UserList />, { at: `/search/user?roleId=${role?.id}` })
    await screen.findByRole('link', { name: 'Rhodes, Ida' })
    expect(screen.getByText('1 to 1 of 1')).toBeDefined()
  })

  it('filters by a role beyond the first ones, which is found by its name and keeps it', async () => {
    const nothing = { description: '', view: [], menu: [], api: [] }
    for (let at = 10; at < 62; at += 1) await grace.call(roles.calls.add, { ...nothing, name: `Many ${at}` })
    const { id } = await grace.call(roles.calls.add, { ...nothing, name: 'Zookeepers' })
    const shown = showScreen(<UserList />, { at: '/search/user' })
    await shown.user.click(await screen.findByRole('button', { name: 'Role' }))
    await shown.user.fill(await screen.findByRole('searchbox', { name: 'Search: Role' }), 'zoo')
    await shown.user.click(await screen.findByRole('radio', { name: /^Zookeepers/ }))
    expect(await screen.findByRole('button', { name: /^Role ?: Zookeepers/ })).toBeDefined()
    shown.unmount()
    showScreen(<UserList />, { at: `/search/user?roleId=${id}` })
    expect(await screen.findByRole('button', { name: /^Role ?: Zookeepers/ })).toBeDefined()
  })
})

describe('A new user', () => {
  it('is added with roles, and the activation link is shown once', async () => {
    const shown = showScreen(<AddUser />, { at: '/identity/user/add', viewer: viewer() })
    await screen.findByRole('textbox', { name: /^Given name/ })
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Add user' }))
    expect((await screen.findByRole('alert')).textContent).toContain('4 fields need attention')

    const fill = (name: RegExp, text: string) => shown.user.fill(screen.getByRole('textbox', { name }), text)
    await fill(/^Given name/, 'Mary')
    await fill(/^Family name/, 'Somerville')
    await fill(/^E-mail address/, 'mary@example.org')
    await fill(/^Username/, 'mary#1')
    await shown.user.click(screen.getByRole('button', { name: 'Add user' }))
    expect((await screen.findAllByText(/The character '#' is not allowed in usernames\./)).length).toBeGreaterThan(0)
    await shown.user.clear(screen.getByRole('textbox', { name: /^Username/ }))
    await fill(/^Username/, 'mary')
    await shown.user.click(screen.getByRole('combobox', { name: 'Roles' }))
    await shown.user.click(await screen.findByRole('option', { name: /^Auditor.*Reads records and the audit log/ }))
    await shown.user.click(screen.getByRole('button', { name: 'Add user' }))

    const link = (await screen.findByText(/\/activateaccount\//)).textContent ?? ''
    expect(screen.getByText(/it is not shown again/)).toBeDefined()
    expect(screen.getByRole('button', { name: 'Copy Activation link' })).toBeDefined()
    await expectAccessible()
    expect(link).toContain(house.house.settings.origin)
    const id = screen.getByRole('link', { name: 'Show user' }).getAttribute('href')?.split('/').at(-1) ?? ''
    expect((await read(id)).roles.map(({ name }) => name)).toEqual(['Auditor'])
  })
})

describe('Roles to choose from', () => {
  it('are searched on the server as one types, however many there are, and what was picked stays', async () => {
    const names = Array.from({ length: 60 }, (_role, at) => `Team ${String(at).padStart(2, '0')}`)
    for (const name of names) await grace.call(roles.calls.add, { name, description: '' })
    const shown = showScreen(<AddUser />, { at: '/identity/user/add', viewer: viewer() })
    const field = await screen.findByRole('combobox', { name: 'Roles' })
    await shown.user.click(field)
    await shown.user.click(await screen.findByRole('option', { name: /^Auditor/ }))
    expect(screen.queryByRole('option', { name: 'Team 59' })).toBeNull()
    await shown.user.type(field, 'am 59')
    await shown.user.click(await screen.findByRole('option', { name: /^Team 59.*Grants nothing yet/ }))
    expect([screen.getByText('Auditor'), screen.getByText('Team 59')]).toHaveLength(2)
  })
})

describe('One user', () => {
  const open = (id: string, query = '') =>
    showScreen(<ViewUser />, { at: `/identity/user/view/${id}${query}`, path: '/identity/user/view/:id', viewer: viewer() })

  it('is shown with details, roles, sign-in and activity', async () => {
    const ida = await acme.person({ permissions: ['search'], givenName: 'Ida', familyName: 'Noddack' })
    const shown = open(ida.id)
    expect(await screen.findByRole('heading', { level: 1, name: 'Ida Noddack' })).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('tab', { name: 'Roles' }))
    expect(await screen.findByRole('link', { name: /^Role of/ })).toBeDefined()
    await shown.user.click(screen.getByRole('tab', { name: 'Sign-in' }))
    expect(await screen.findByText('At the next sign-in')).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('tab', { name: 'Activity' }))
    expect(shown.router.state.location.search).toBe('?tab=activity')
    await screen.findByText('Nothing has been recorded yet')
    await expectAccessible()
  })

  it('is deleted after a question, and the list is shown', async () => {
    const ida = await acme.person({ permissions: [], givenName: 'Ida', familyName: 'Gone' })
    const shown = open(ida.id)
    await shown.user.click(await screen.findByRole('button', { name: 'Delete user' }))
    const question = within(await screen.findByRole('dialog', { name: 'Delete Ida Gone?' }))
    await shown.user.click(question.getByRole('button', { name: 'Delete user' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/search/user'))
    expect(await screen.findByText('The user was successfully deleted')).toBeDefined()
    await expect(read(ida.id)).rejects.toMatchObject({ status: 404 })
  })

  it('is disabled after a question and activated again', async () => {
    const ida = await acme.person({ permissions: ['search'], givenName: 'Ida', familyName: 'Tacke' })
    const shown = open(ida.id)
    await shown.user.click(await screen.findByRole('button', { name: 'Disable user' }))
    const question = within(await screen.findByRole('dialog', { name: 'Disable Ida Tacke?' }))
    await expectAccessible()
    await shown.user.click(question.getByRole('button', { name: 'Disable user' }))
    expect(await screen.findByRole('button', { name: 'Activate user' })).toBeDefined()
    expect((await read(ida.id)).enabled).toBe(false)
    await shown.user.click(screen.getByRole('button', { name: 'Activate user' }))
    await waitFor(async () => expect((await read(ida.id)).enabled).toBe(true))
    expect(await screen.findByText('The user was successfully activated')).toBeDefined()
  })

  it('gets a new activation link while invited', async () => {
    const { id } = await grace.call(users.calls.add, {
      username: 'second.link',
      givenName: 'Emmy',
      familyName: 'Noether',
      emailAddress: 'emmy@example.org',
    })
    const shown = open(id)
    await shown.user.click(await screen.findByRole('button', { name: 'New activation link' }))
    expect(await screen.findByText(/\/activateaccount\//)).toBeDefined()
  })

  it('of another tenancy is as if it were not there', async () => {
    const other = await house.tenancy('Other')
    open(other.administrator.id)
    expect(await screen.findByText('This does not exist, or not for you')).toBeDefined()
  })
})

describe('Editing a user', () => {
  it('saves what is not protected at once, and roles with it', async () => {
    const ida = await acme.person({ permissions: ['search'], givenName: 'Ida', familyName: 'Busbridge' })
    const shown = showScreen(<EditUser />, { at: `/identity/user/edit/${ida.id}`, path: '/identity/user/edit/:id', viewer: viewer() })
    const title = await screen.findByRole('textbox', { name: 'Job title' })
    await expectAccessible()
    await shown.user.fill(title, 'Engineer')
    await shown.user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe(`/identity/user/view/${ida.id}`))
    expect(await read(ida.id)).toMatchObject({ title: 'Engineer', roles: [{ name: `Role of ${ida.username}` }] })
  })

  it('that is still invited shows the new activation link where the roles change', async () => {
    const { id } = await grace.call(users.calls.add, {
      username: 'raised',
      givenName: 'Ida',
      familyName: 'Freund',
      emailAddress: 'raised@example.org',
    })
    const shown = showScreen(<EditUser />, { at: `/identity/user/edit/${id}`, path: '/identity/user/edit/:id', viewer: viewer() })
    await shown.user.click(await screen.findByRole('combobox', { name: 'Roles' }))
    await shown.user.click(await screen.findByRole('option', { name: /^Auditor/ }))
    await shown.user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText(/\/activateaccount\//)).toBeDefined()
    expect(screen.getByText(/the link from before works no more/)).toBeDefined()
    await expectAccessible()
  })

  it('asks for the own password before a protected field changes', async () => {
    const ida = await acme.person({ permissions: ['search'], givenName: 'Ida', familyName: 'Hahn' })
    const shown = showScreen(<EditUser />, { at: `/identity/user/edit/${ida.id}`, path: '/identity/user/edit/:id', viewer: viewer() })
    const username = await screen.findByRole('textbox', { name: /^Username/ })
    await shown.user.type(username, '2')
    await shown.user.keyboard('{Control>}{Enter}{/Control}')
    const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }))
    expect(dialog.getByText(/Re-enter your existing password/)).toBeDefined()
    await shown.user.click(dialog.getByRole('button', { name: 'Go back to the form' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect((await read(ida.id)).username).toBe(ida.username)
  })
})

describe('The dashboard of user creation', () => {
  it('shows the numbers of a period as links to their people, the ways to add some, and makes a new link', async () => {
    const name = { username: 'waits', givenName: 'Waldo', familyName: 'Waits', emailAddress: 'waits@example.org' }
    await grace.call(users.calls.add, name)
    const shown = showScreen(<UserCreation />, { at: '/identity/user/creation?days=7', viewer: viewer() })
    const numbers = await screen.findByRole('list', { name: 'Users added' })
    const { created, from, until } = await grace.call(users.calls.creation, { days: 7 })
    expect(
      within(numbers)
        .getByRole('link', { name: `${created} Created` })
        .getAttribute('href'),
    ).toBe(`/search/user?createdFrom=${from}&createdUntil=${until}`)
    expect(within(screen.getByRole('list', { name: 'Users added by day' })).getAllByRole('listitem')).toHaveLength(7)
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'New link for Waldo Waits' }))
    expect((await screen.findByText(/\/activateaccount\//)).textContent).toContain('/activateaccount/')
    await shown.user.click(screen.getByRole('radio', { name: '90 days' }))
    await waitFor(() => expect(within(screen.getByRole('list', { name: 'Users added by day' })).getAllByRole('listitem')).toHaveLength(30))
  })
})
