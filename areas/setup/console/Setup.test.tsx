import { act, screen, waitFor, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser } from '#areas/sessions/console/browser.fixture.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { setupLink } from '../service.ts'
import { AddTenancy } from './AddTenancy.tsx'
import { BootstrapMode } from './BootstrapMode.tsx'
import { draftOf, forgetGathered, keepGathered, nothingGathered, placeOf, takeGathered, withNames } from './setup-draft.ts'

let house: TestHouse
let browser: ReturnType<typeof openBrowser>

beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.close())

const open = (query: string, bootstrap = {}): Shown =>
  showScreen(<BootstrapMode />, {
    at: `/bootstrapmode${query}`,
    path: '/bootstrapmode',
    viewer: false,
    bootstrap: { setupNeeded: true, ...bootstrap },
  })
const step = (number: number, label: string) => screen.findByRole('heading', { level: 2, name: `Step ${number} of 4: ${label}` })
const next = (shown: Shown) => shown.user.click(screen.getByRole('button', { name: 'Next' }))
const fill = (shown: Shown, name: RegExp, text: string) => shown.user.fill(screen.getByRole('textbox', { name }), text)

describe('The set-up wizard', () => {
  beforeEach(() => {
    browser = openBrowser(house.origin)
  })
  afterEach(() => browser.close())

  it('explains where the link is when it is opened without one, and when the link is no good', async () => {
    const first = open('')
    expect(screen.getByText('Open the set-up link')).toBeDefined()
    await expectAccessible()
    first.unmount()
    open('?token=never-was-one')
    expect(await screen.findByText('This link does not work any more')).toBeDefined()
    await expectAccessible()
  })

  it('makes the tenancy, the administrator and the authorities, sets up the code and goes home', async () => {
    const link = (await setupLink(house.house)) ?? ''
    const query = new URL(link).search
    const shown = open(query)
    await step(1, 'Organisation')
    await expectAccessible()
    await next(shown)
    expect(await screen.findByText('Enter a value')).toBeDefined()
    await fill(shown, /^Name/, 'Harbour Trust')
    await next(shown)

    await step(2, 'Administrator')
    await fill(shown, /^Given name/, 'Grace')
    await fill(shown, /^Family name/, 'Hopper')
    await fill(shown, /^E-mail address/, 'grace@harbour.example')
    await shown.user.fill(screen.getByLabelText(/^Password/), 'passwordpassword')
    await expectAccessible()
    await next(shown)

    // The server knows the common passwords, and says so in the same round as the form what it misses.
    expect(await screen.findByText(/common or has been in a breach/)).toBeDefined()
    expect(screen.getByLabelText(/^Username/).getAttribute('aria-invalid')).toBe('true')
    await fill(shown, /^Username/, 'grace')
    await step(2, 'Administrator')
    const password = screen.getByLabelText(/^Password/)
    await shown.user.fill(password, 'kettle orbit sandal pony')
    await next(shown)

    await step(3, 'Authority')
    expect(screen.getByRole('textbox', { name: /^Name of the root/ })).toHaveProperty('value', 'Harbour Trust Root CA')
    expect(screen.getByText('This address is written into every certificate and cannot change in what is issued.')).toBeDefined()
    await expectAccessible()
    await next(shown)
    await step(4, 'Review')

    // The browser's Back is the step before; a mark leads on to what was passed.
    await act(() => shown.router.navigate(-1))
    await step(3, 'Authority')
    await act(() => shown.router.navigate(-1))
    await step(2, 'Administrator')
    expect(screen.getByRole('textbox', { name: /^Username/ })).toHaveProperty('value', 'grace')
    await shown.user.click(screen.getByRole('button', { name: /Review/ }))
    await step(4, 'Review')
    expect(screen.getByText('Harbour Trust Issuing CA')).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Set up Chancery' }))

    await screen.findByRole('img', { name: 'QR code for your authenticator app' })
    expect(screen.queryByText('Not everything was made')).toBeNull()
    await expectAccessible()
    const secret = (document.querySelector('code')?.textContent ?? '').replaceAll(/\s/g, '')
    await fill(shown, /^Code/, totp(decodeBase32(secret), house.clock.now()))
    await shown.user.keyboard('{Enter}')
    await screen.findByText('Another screen')
    expect(shown.router.state.location.pathname).toBe('/home')
    shown.unmount()

    open(query, { setupNeeded: false })
    expect(await screen.findByText('Chancery is set up already')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login')
  })
})

describe('What the wizard gathers', () => {
  it('suggests names for the authorities and leaves typed ones alone', () => {
    const typed = withNames({
      ...nothingGathered,
      tenancy: { ...nothingGathered.tenancy, tenancyName: ' Harbour ' },
      authority: { ...nothingGathered.authority, rootName: 'My Root' },
    })
    expect(typed.authority).toMatchObject({ organisation: 'Harbour', rootName: 'My Root', issuingName: 'Harbour Issuing CA' })
  })
  it('stays in the tab over a reload, but for the password', () => {
    const typed = {
      ...nothingGathered,
      administrator: { ...nothingGathered.administrator, username: 'grace', password: 'kettle orbit sandal pony' },
    }
    keepGathered(typed)
    expect(takeGathered()).toEqual({ ...typed, administrator: { ...typed.administrator, password: '' } })
    sessionStorage.setItem('chancery.setup', '{"tenancy":7,"administrator":{"username":[]}}')
    expect(takeGathered()).toEqual(nothingGathered)
    forgetGathered()
    expect(takeGathered()).toEqual(nothingGathered)
  })
  it('asks nothing of a root that is somewhere else, and makes none that a token shall hold', () => {
    const typed = withNames({ ...nothingGathered, tenancy: { ...nothingGathered.tenancy, tenancyName: 'Harbour' } })
    const authorityOf = (root: 'here' | 'offline' | 'token') => draftOf('', { ...typed, authority: { ...typed.authority, root } }).authority
    expect(authorityOf('here')).toMatchObject({ root: 'here', rootName: 'Harbour Root CA', rootAlgorithm: 'P-384', rootYears: 20 })
    expect(Object.keys(authorityOf('offline') ?? {})).toEqual(['root', 'organisation', 'country', 'issuingName', 'algorithm'])
    expect(authorityOf('token')).toBeUndefined()
  })
  it('knows to which step a refused field belongs', () => {
    expect([placeOf('tenancyName'), placeOf('administrator.password'), placeOf('authority.country')]).toEqual([
      { step: 0, name: 'tenancyName' },
      { step: 1, name: 'password' },
      { step: 2, name: 'country' },
    ])
  })
})

describe('A new tenancy', () => {
  it('shows the activation link of its administrator once', async () => {
    const second = await openTestHouse()
    const acme = await second.tenancy('Acme')
    const restore = leadFetchTo(second.origin, { authorization: `Bearer ${acme.administrator.token}` })
    try {
      const shown = showScreen(<AddTenancy />, { at: '/tenancy/manage/create' })
      const administrator = within(screen.getByRole('region', { name: 'First administrator' }))
      await expectAccessible()
      await shown.user.type(within(screen.getByRole('region', { name: 'Tenancy' })).getByRole('textbox', { name: /^Name/ }), 'acme')
      await shown.user.type(administrator.getByRole('textbox', { name: /^Given name/ }), 'Mary')
      await shown.user.fill(administrator.getByRole('textbox', { name: /^Family name/ }), 'Somerville')
      await shown.user.fill(administrator.getByRole('textbox', { name: /^E-mail address/ }), 'mary@birch.example')
      await shown.user.type(administrator.getByRole('textbox', { name: /^Username/ }), 'mary')
      await shown.user.click(screen.getByRole('button', { name: 'Create tenancy' }))
      expect((await screen.findAllByText(/A tenancy with this name exists/)).length).toBeGreaterThan(0)
      const name = within(screen.getByRole('region', { name: 'Tenancy' })).getByRole('textbox', { name: /^Name/ })
      await shown.user.fill(name, 'Birch')
      await shown.user.keyboard('{Enter}')
      expect(await screen.findByRole('heading', { level: 1, name: 'Birch is ready' })).toBeDefined()
      expect(screen.getByText(/\/activateaccount\//)).toBeDefined()
      await expectAccessible()
      await waitFor(() => expect(screen.getByRole('link', { name: 'Show managed tenancies' })).toBeDefined())
    } finally {
      restore()
      await second.close()
    }
  })
})
