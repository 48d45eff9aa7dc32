import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { sso } from '../contract.ts'
import { AddProvider } from './AddProvider.tsx'
import { EditProvider } from './EditProvider.tsx'
import { Providers } from './Providers.tsx'
import { SsoSignIn } from './SsoSignIn.tsx'
import { ViewProvider } from './ViewProvider.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
})
beforeEach(() => as(ada))

const provider = (name: string) =>
  ada.call(sso.calls.add, { name, issuer: 'https://8.8.8.8/acme', clientId: 'chancery', clientSecret: 'secret' })

describe('Providers', () => {
  it('are listed with a way to each, and nothing of the secret', async () => {
    const { id } = await provider('Northwind ID')
    showScreen(<Providers />, { at: '/config/SsoConfig' })
    const link = await screen.findByRole('link', { name: 'Northwind ID' })
    expect(link.getAttribute('href')).toBe(`/config/SsoConfig/${id}`)
    await expectAccessible()
  })

  it('are added by a form that a preset fills', async () => {
    const { user, router } = showScreen(<AddProvider />, { at: '/config/SsoConfig/add' })
    const issuer = await screen.findByRole('textbox', { name: /^Issuer/ })
    expect((issuer as HTMLInputElement).value).toBe('https://login.microsoftonline.com/TENANT-ID/v2.0')
    await user.fill(screen.getByRole('textbox', { name: /^Name/ }), 'Brand new')
    await user.fill(issuer, 'https://8.8.8.8/new')
    await user.fill(screen.getByRole('textbox', { name: /^Client ID/ }), 'chancery')
    await user.click(screen.getByRole('button', { name: 'Add rule' }))
    await user.fill(screen.getByRole('textbox', { name: /^Value of rule 1/ }), 'pki')
    await expectAccessible()
    await user.fill(screen.getByLabelText(/^Client secret/, { selector: 'input[type="password"]' }), 'secret')
    await user.click(screen.getByRole('button', { name: 'Add provider' }))
    await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/config\/SsoConfig\/[0-9a-f-]{36}$/))
  })

  it('show what to register, and are edited without the secret', async () => {
    const { id } = await provider('Shown')
    const shown = showScreen(<ViewProvider />, { at: `/config/SsoConfig/${id}`, path: '/config/SsoConfig/:id' })
    await screen.findByText('Nobody signs in by this provider yet')
    expect(within(document.body).getAllByText(/\/oidc\/portal\//).length).toBeGreaterThan(0)
    await expectAccessible()
    shown.unmount()
    showScreen(<EditProvider />, { at: `/config/SsoConfig/${id}/edit`, path: '/config/SsoConfig/:id/edit' })
    const secret = await screen.findByLabelText(/^Client secret/, { selector: 'input[type="password"]' })
    expect((secret as HTMLInputElement).value).toBe('')
  })
})

describe('The sign-in page', () => {
  it('asks for an address, and says where nobody signs in with it', async () => {
    const { user } = showScreen(<SsoSignIn />, { at: '/login', viewer: false })
    await user.click(await screen.findByRole('button', { name: 'Sign in with your organisation' }))
    await user.fill(screen.getByRole('textbox', { name: /^Your e-mail address/ }), 'ada@example.org')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Go on' }))
    await screen.findByText(/No organisation signs in here with this address/)
  })
})
