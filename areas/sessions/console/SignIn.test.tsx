import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi, onTestFinished } from 'vitest'
import { tenancy } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { noteSession } from '#core/console/leave-session.ts'
import { publicBrandStore } from '#core/console/public-brand.ts'
import { queryClient } from '#core/console/query-client.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import type { TestTenancy } from '#core/testing/house.ts'
import { answering } from '#core/testing/little-server.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { sessions } from '../contract.ts'
import { ActivateAccount } from './ActivateAccount.tsx'
import { openBrowser } from './browser.fixture.ts'
import { Login } from './Login.tsx'

const { house } = await houseForScreens()
const password = 'correct horse battery staple'
let acme: TestTenancy
let browser: ReturnType<typeof openBrowser>
let count = 0

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  await acme.administrator.call(tenancy.calls.change, { name: 'Acme', bannerColour: '#1f6feb', supportEmail: 'help@acme.test' })
})
beforeEach(() => {
  browser = openBrowser(house.origin)
})
afterEach(() => browser.close())

const invite = async () => {
  const username = `guest${(count += 1)}`
  const { activationLink } = await acme.administrator.call(users.calls.add, {
    username,
    givenName: 'Ida',
    familyName: 'Rhodes',
    emailAddress: `${username}@example.org`,
  })
  return { username, token: activationLink.split('/').at(-1) ?? '' }
}

/** A person with a password whose code is not confirmed: the first sign-in shows the QR. */
const activated = async () => {
  const { username, token } = await invite()
  await house.signedOut.call(sessions.calls.activate, { token, password })
  return username
}

const login = (at = '/login', options = {}): Shown => showScreen(<Login />, { at, viewer: false, ...options })

async function enterPassword(shown: Shown, username: string, typed = password): Promise<void> {
  await shown.user.fill(screen.getByRole('textbox', { name: /^Username/ }), username)
  await shown.user.fill(screen.getByLabelText(/^Password/), typed)
  await shown.user.keyboard('{Enter}')
}

const secretShown = async (): Promise<string> => {
  await screen.findByRole('img', { name: 'QR code for your authenticator app' })
  return (document.querySelector('code')?.textContent ?? '').replaceAll(/\s/g, '')
}
const codeOf = (secret: string) => totp(decodeBase32(secret), house.clock.now())
const codeField = () => screen.findByRole('textbox', { name: /^Code/ })
const place = (shown: Shown) => `${shown.router.state.location.pathname}${shown.router.state.location.search}`

describe('Sign-in', () => {
  it('sends the username without the blanks around it', async () => {
    const server = await answering({ [`POST ${sessions.calls.login.path}`]: { further_required_auth: 'TOTP' } })
    await enterPassword(login(), '  ida ')
    await codeField()
    expect(server.asked.map(({ body }) => body)).toEqual([{ username: 'ida', password }])
  })

  it('says that the session has ended, where nobody ended it in this tab', async () => {
    onTestFinished(() => noteSession(false))
    const before = login('/login?redirect=%2Fsupport%2Ftickets')
    expect(screen.queryByText('Your session has ended.')).toBeNull()
    before.unmount()
    noteSession(true)
    login('/login?redirect=%2Fsupport%2Ftickets')
    expect(screen.getByText('Your session has ended.')).toBeDefined()
    await expectAccessible()
  })

  it('sets up the code the first time, by keyboard alone, and comes back to where one was', async () => {
    const username = await activated()
    const shown = login('/login?redirect=%2Fsupport%2Ftickets%3Fpage%3D2')
    expect(screen.getByText('Sign in to go on. You come back to where you were.')).toBeDefined()
    await expectAccessible()
    await enterPassword(shown, `  ${username} `)
    const secret = await secretShown()
    expect(screen.getAllByText(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)).toHaveLength(10)
    expect(screen.getByRole('button', { name: 'Download codes' })).toBeDefined()
    await expectAccessible()

    await shown.user.fill(await codeField(), '000000')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/Failed to validate MFA token/)).length).toBeGreaterThan(0)
    await shown.user.fill(await codeField(), codeOf(secret))
    await shown.user.keyboard('{Enter}')
    await screen.findByText('Another screen')
    expect(place(shown)).toBe('/support/tickets?page=2')
    expect(browser.cookies.has('chancery-session')).toBe(true)
  })

  it('asks for the code alone afterwards, and takes a recovery code once', async () => {
    const username = await activated()
    const first = login()
    await enterPassword(first, username)
    const secret = await secretShown()
    const [recovery = ''] = screen.getAllByText(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/).map((node) => node.textContent ?? '')
    await first.user.fill(await codeField(), codeOf(secret))
    await first.user.keyboard('{Enter}')
    await screen.findByText('Another screen')
    expect(place(first)).toBe('/home')
    first.unmount()
    browser.cookies.clear()

    for (const answer of ['Another screen', /Failed to validate MFA token/]) {
      const shown = login()
      await enterPassword(shown, username)
      await codeField()
      expect(screen.queryByRole('img', { name: /QR/ })).toBeNull()
      await shown.user.click(screen.getByRole('button', { name: 'Use a recovery code instead' }))
      await expectAccessible()
      await shown.user.fill(screen.getByRole('textbox', { name: /^Recovery code/ }), recovery)
      await shown.user.keyboard('{Enter}')
      expect((await screen.findAllByText(answer)).length).toBeGreaterThan(0)
      shown.unmount()
      browser.cookies.clear()
    }
  })

  it('says the same of a wrong password and of an unknown name', async () => {
    const username = await activated()
    for (const name of [username, 'nobody']) {
      const shown = login()
      await enterPassword(shown, name, 'not the password')
      expect((await screen.findByRole('alert')).textContent).toContain('Check Username and Password')
      expect(screen.queryByRole('textbox', { name: /^Code/ })).toBeNull()
      shown.unmount()
    }
  })

  it('refuses a kind of authentication that it does not know', async () => {
    await answering({ [`POST ${sessions.calls.login.path}`]: { further_required_auth: 'CARRIER_PIGEON' } })
    const shown = login()
    await enterPassword(shown, 'grace')
    expect(await screen.findByText('Unknown Further Authentication Type')).toBeDefined()
  })

  it('never follows a redirect to another origin', async () => {
    await answering({ [`POST ${sessions.calls.login.path}`]: [] })
    const shown = login('/login?redirect=%2F%2Fevil.example%2Fhome')
    await enterPassword(shown, 'grace')
    await screen.findByText('Another screen')
    expect(place(shown)).toBe('/home')
  })

  it('tells password managers what the fields are, shows the terms, and warns of Caps Lock', () => {
    login('/login', { bootstrap: { disclaimer: 'Authorised use only.\nEverything is recorded.' } })
    expect(screen.getByRole('textbox', { name: /^Username/ }).getAttribute('autocomplete')).toBe('username webauthn')
    const field = screen.getByLabelText(/^Password/)
    expect(field.getAttribute('autocomplete')).toBe('current-password')
    expect(screen.getByRole('note', { name: 'Terms of use' }).textContent).toBe('Authorised use only.\nEverything is recorded.')
    fireEvent.keyDown(field, { key: 'A', modifierCapsLock: true })
    expect(screen.getByText('Caps Lock is on')).toBeDefined()
    fireEvent.keyUp(field, { key: 'a' })
    expect(screen.queryByText('Caps Lock is on')).toBeNull()
  })

  it('says what to do where Chancery is not set up, and lets nobody sign in twice', () => {
    const { unmount } = login('/login', { bootstrap: { setupNeeded: true } })
    expect(screen.getByText('Chancery is not set up yet')).toBeDefined()
    unmount()
    const shown = showScreen(<Login />, { at: '/login?redirect=%2Fabout' })
    expect(place(shown)).toBe('/about')
  })
})

describe('Activation', () => {
  const activate = (token: string): Shown =>
    showScreen(<ActivateAccount />, { at: `/activateaccount/${token}`, path: '/activateaccount/:token', viewer: false })

  it('shows who the link is for, takes a good password, sets up the code and signs in', async () => {
    const { username, token } = await invite()
    const shown = activate(token)
    expect(await screen.findByText(username)).toBeDefined()
    expect(screen.getByText(/Hello Ida. Your username at Acme is/)).toBeDefined()
    const acmesLook = { name: 'Acme', bannerColour: '#1f6feb', supportEmail: 'help@acme.test' }
    expect(publicBrandStore.getState().brand).toMatchObject(acmesLook)
    await expectAccessible()

    const field = screen.getByLabelText(/^Choose a password/)
    expect(field.getAttribute('autocomplete')).toBe('new-password')
    await shown.user.fill(field, 'short')
    expect(screen.getByText('7 more characters')).toBeDefined()
    await shown.user.fill(field, 'passwordpassword')
    await shown.user.keyboard('{Enter}')
    expect((await screen.findAllByText(/common or has been in a breach/)).length).toBeGreaterThan(0)
    await shown.user.fill(field, password)
    expect(screen.getByText('Strong')).toBeDefined()
    await shown.user.keyboard('{Enter}')

    const secret = await secretShown()
    // The link is used up by now, also where somebody asks for it again.
    await queryClient.invalidateQueries()
    expect(publicBrandStore.getState().brand).toMatchObject(acmesLook)
    await expectAccessible()
    await shown.user.fill(await codeField(), codeOf(secret))
    await shown.user.keyboard('{Enter}')
    await screen.findByText('Another screen')
    expect(place(shown)).toBe('/home')
    shown.unmount()

    // An answer like any other: nothing on the browser's console, neither now nor when the link was used up.
    const complaints = vi.spyOn(console, 'error')
    activate(token)
    expect(await screen.findByText('This link does not work any more')).toBeDefined()
    expect(complaints).not.toHaveBeenCalled()
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login')
    await expectAccessible()
  })
})
