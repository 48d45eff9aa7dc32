import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { screensOf } from '#core/testing/screens.ts'
import { domains } from '../contract.ts'
import { AllowedDomains } from './AllowedDomains.tsx'
import { ViewDomain } from './ViewDomain.tsx'

const dns = await openNameServer({})
afterAll(() => dns.close())
const house = await useHouse({ settings: { CHANCERY_NAME_SERVERS: dns.address } })
const as = screensOf(house)
let ada: TestPerson

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
})
beforeEach(() => as(ada))

describe('Allowed domains', () => {
  it('are added in a dialog that leads to the record to set', async () => {
    const shown = showScreen(<AllowedDomains />, { at: '/admin/alloweddomains' })
    await shown.user.click((await screen.findAllByRole('button', { name: 'Add domain' }))[0] as HTMLElement)
    const dialog = within(await screen.findByRole('dialog', { name: 'Add domain' }))
    await shown.user.fill(dialog.getByRole('textbox', { name: /^Domain/ }), 'not a domain')
    await shown.user.click(dialog.getByRole('button', { name: 'Add domain' }))
    expect((await dialog.findAllByText('Enter a domain such as example.com')).length).toBeGreaterThan(0)
    await shown.user.fill(dialog.getByRole('textbox', { name: /^Domain/ }), 'Added.example')
    await shown.user.click(dialog.getByRole('button', { name: 'Add domain' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/^\/admin\/alloweddomains\/.+/))
  })

  it('are listed by name with what uses each', async () => {
    for (const name of ['b.example', 'a.example']) await ada.call(domains.calls.add, { name })
    showScreen(<AllowedDomains />, { at: '/admin/alloweddomains' })
    const names = (await screen.findAllByRole('link', { name: /\.example$/ })).map((link) => link.textContent)
    expect(names).toEqual(names.toSorted())
    const row = within(await screen.findByRole('row', { name: /^a\.example/ }))
    expect(await row.findByText('Not used')).toBeDefined()
    await expectAccessible()
  })

  it('show a name as it reads with its name in DNS, and a look-alike by the latter alone', async () => {
    const { id } = await ada.call(domains.calls.add, { name: 'bücher.example' })
    await ada.call(domains.calls.add, { name: 'pаypal.example' })
    const shown = showScreen(<AllowedDomains />, { at: '/admin/alloweddomains' })
    const row = within(await screen.findByRole('row', { name: /^bücher\.example/ }))
    expect(row.getByText('xn--bcher-kva.example')).toBeDefined()
    expect(screen.getByRole('link', { name: 'xn--pypal-4ve.example' })).toBeDefined()
    shown.unmount()
    showScreen(<ViewDomain />, { at: `/admin/alloweddomains/${id}`, path: '/admin/alloweddomains/:id' })
    expect(await screen.findByRole('heading', { level: 1, name: 'bücher.example' })).toBeDefined()
    expect(screen.getByText('xn--bcher-kva.example')).toBeDefined()
    const { rows } = await ada.call(domains.calls.search, { text: 'Bücher' })
    expect(rows.map(({ name }) => name)).toEqual(['xn--bcher-kva.example'])
  })

  it('show what the last check saw, and are removed after a question', async () => {
    const { id } = await ada.call(domains.calls.add, { name: 'seen.invalid' })
    const shown = showScreen(<ViewDomain />, { at: `/admin/alloweddomains/${id}`, path: '/admin/alloweddomains/:id' })
    expect(await screen.findByText('_chancery-challenge.seen.invalid')).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Check now' }))
    expect(await screen.findByRole('table', { name: 'What the last check saw' })).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Remove domain' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove seen.invalid?' }))
    await shown.user.click(dialog.getByRole('button', { name: 'Remove domain' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/admin/alloweddomains'))
  })
})
