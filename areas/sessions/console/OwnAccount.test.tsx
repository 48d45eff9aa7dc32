import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { Viewer } from '#core/console/bootstrap.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useSharedHouse } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { sessions } from '../contract.ts'
import { SignInHistory } from '../SignInHistory.tsx'
import { Account } from './Account.tsx'
import { openBrowser } from './browser.fixture.ts'
import { ChangePassword } from './ChangePassword.tsx'
import { Tokens } from './Tokens.tsx'

const password = 'correct horse battery staple'
let browser: ReturnType<typeof openBrowser> | undefined

const house = await useSharedHouse()
const acme = await house.tenancy('Acme')
afterEach(() => browser?.close())

let count = 0

/** A person with a password and a code, signed in as a browser is. */
async function signedIn(): Promise<Partial<Viewer>> {
  const username = `own${(count += 1)}`
  const { roles } = await acme.administrator.call(users.calls.read, { id: acme.administrator.id })
  const { activationLink } = await acme.administrator.call(users.calls.add, {
    username,
    givenName: 'Ida',
    familyName: 'Rhodes',
    emailAddress: `${username}@example.org`,
    roleIds: roles.map(({ id }) => id),
  })
  browser = openBrowser(house.origin)
  const post = async (path: string, body: object) =>
    (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
  const { secret } = await post(sessions.calls.activate.path, { token: activationLink.split('/').at(-1), password })
  const [viewer] = await post(sessions.calls.TOTPAuth.path, { passcode: totp(decodeBase32(secret), house.clock.now()) })
  return viewer
}

describe('The own account', () => {
  it('shows the person, the mail that is wanted and the sign-ins', async () => {
    const viewer = await signedIn()
    showScreen(<Account />, { at: '/self/account', viewer })
    const details = within(screen.getByRole('region', { name: 'Personal details' }))
    expect(await details.findByText('Ida Rhodes')).toBeDefined()
    expect(details.getByText(viewer.emailAddress ?? '')).toBeDefined()
    const history = within(screen.getByRole('region', { name: 'Sign-in history' }))
    expect(await history.findByText('Signed in')).toBeDefined()
    expect(history.getByText('Activated the account')).toBeDefined()
    await expectAccessible()
  })

  it('has words for whatever stands in the history, and marks what failed', () => {
    const names = Object.keys(sessions.events)
    showScreen(
      <SignInHistory rows={names.map((name) => ({ id: name, name, at: '2026-03-04T10:00:00.000Z', outcome: 'done', address: '' }))} />,
      { at: '/self/account' },
    )
    expect(screen.getAllByRole('listitem').map((row) => row.textContent)).toHaveLength(names.length)
    expect(screen.getByText('Entered the password')).toBeDefined()
    for (const name of names) expect(screen.queryByText(name)).toBeNull()
    expect(screen.getByText('Sign-in failed').getAttribute('data-tone')).toBe('bad')
  })

  it('keeps the choice of mail', async () => {
    const viewer = await signedIn()
    const shown = showScreen(<Account />, { at: '/self/account', viewer })
    await shown.user.click(await screen.findByRole('checkbox', { name: 'My certificate expires soon' }))
    await shown.user.click(screen.getByRole('button', { name: 'Save choice' }))
    await waitFor(async () => {
      const { notices } = await (await fetch(mail.calls.notices.path)).json()
      expect(notices).toContainEqual({ kind: 'certificateExpiring', wanted: false })
    })
  })

  it('is edited by the person, but for what certificates show', async () => {
    const viewer = await signedIn()
    const shown = showScreen(<Account />, { at: '/self/account', viewer })
    await shown.user.click(screen.getByRole('button', { name: 'Edit details' }))
    const telephone = await screen.findByRole('textbox', { name: 'Telephone number' })
    expect(screen.getByText(/nobody changes their own/)).toBeDefined()
    expect(screen.getAllByRole('textbox')).toEqual([telephone])
    await expectAccessible()
    await shown.user.fill(telephone, '0113 496 0000')
    await shown.user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText('0113 496 0000')).toBeDefined()
  })

  it('of the only administrator is edited in full, with the password again where who may sign in changes', async () => {
    const viewer = await signedIn()
    await house.asOwner(`update users set enabled = (id = '${viewer.id}') where tenant_id = '${acme.id}'`)
    const shown = showScreen(<Account />, { at: '/self/account', viewer })
    await shown.user.click(screen.getByRole('button', { name: 'Edit details' }))
    const address = await screen.findByRole('textbox', { name: /^E-mail address/ })
    await shown.user.fill(address, 'new@example.org')
    await shown.user.keyboard('{Enter}')
    const dialog = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }))
    await expectAccessible()
    await shown.user.fill(dialog.getByLabelText(/^Your existing password/), 'not it')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/This is not your password/)).length).toBeGreaterThan(0)
    await shown.user.click(screen.getByRole('button', { name: 'Enter the password again' }))
    await shown.user.fill(within(await screen.findByRole('dialog')).getByLabelText(/^Your existing password/), password)
    await shown.user.keyboard('{Enter}')
    expect(await screen.findByText('new@example.org')).toBeDefined()
    await house.asOwner(`update users set enabled = true where tenant_id = '${acme.id}'`)
  })

  it('gets a new sign-in code after the password, and uses it once its first code is given', async () => {
    const viewer = await signedIn()
    const shown = showScreen(<Account />, { at: '/self/account', viewer })
    await shown.user.click(screen.getByRole('button', { name: 'Set up a new sign-in code' }))
    const dialog = within(await screen.findByRole('dialog'))
    await shown.user.fill(dialog.getByLabelText(/^Your existing password/), password)
    await shown.user.keyboard('{Enter}')
    await dialog.findByRole('img', { name: /QR code/ })
    await expectAccessible()
    const secret = (dialog.getAllByText((_text, node) => node?.tagName === 'CODE')[0]?.textContent ?? '').replaceAll(/\s/g, '')
    await shown.user.fill(dialog.getByRole('textbox', { name: /^Code/ }), totp(decodeBase32(secret), house.clock.now()))
    await shown.user.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const history = within(screen.getByRole('region', { name: 'Sign-in history' }))
    await waitFor(() => expect(history.getAllByText('Set up a sign-in code')).toHaveLength(2))
  })
})

describe('Changing the password', () => {
  it('needs the old one, refuses a common one, and leads back', async () => {
    const viewer = await signedIn()
    const shown = showScreen(<ChangePassword />, { at: '/self/changePassword', viewer })
    await expectAccessible()
    const [old, chosen] = [screen.getByLabelText(/^Your existing password/), screen.getByLabelText(/^New password/)]
    await shown.user.fill(old, 'wrong')
    await shown.user.fill(chosen, 'a brand new pass phrase')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/This is not your password/)).length).toBeGreaterThan(0)
    await shown.user.fill(old, password)
    await shown.user.fill(chosen, 'passwordpassword')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/common or has been in a breach/)).length).toBeGreaterThan(0)
    await shown.user.fill(chosen, 'a brand new pass phrase')
    await shown.user.keyboard('{Enter}')
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/self/account'))
  })
})

describe('API tokens', () => {
  it('are made with scopes, shown once, work, and are revoked after a question', async () => {
    const viewer = await signedIn()
    const shown = showScreen(<Tokens />, { at: '/self/tokens', viewer })
    expect(await screen.findByText('No API tokens')).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'New token' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New token' }))
    await shown.user.fill(dialog.getByRole('textbox', { name: /^Name/ }), 'Nightly export')
    await shown.user.fill(dialog.getByLabelText(/^Your existing password/), password)
    await expectAccessible()
    await shown.user.click(dialog.getByRole('button', { name: 'Create token' }))
    const token = (await screen.findByText(/^chy_/)).textContent ?? ''
    expect(screen.getByText('Copy it now: it is not shown again.')).toBeDefined()
    expect((await house.fetch(sessions.calls.legacyLogin.path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)

    expect(await screen.findByRole('cell', { name: 'Nightly export' })).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Actions for Nightly export' }))
    await shown.user.click(await screen.findByRole('menuitem', { name: 'Revoke token' }))
    const question = within(await screen.findByRole('dialog', { name: 'Revoke token Nightly export?' }))
    await shown.user.click(question.getByRole('button', { name: 'Revoke token' }))
    expect(await screen.findByText('No API tokens')).toBeDefined()
    expect((await house.fetch(sessions.calls.legacyLogin.path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
  })
})
