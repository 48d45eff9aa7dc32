import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { registration } from '../contract.ts'
import { FinishRegister } from './FinishRegister.tsx'
import { Register } from './Register.tsx'
import { Registrations } from './Registrations.tsx'
import { RegistrationSettings } from './RegistrationSettings.tsx'

const { register, verify, finish, settings, changeSettings, search, decide } = registration.calls
const tenantId = '018f0000-0000-7000-8000-00000000000a'
const link = `/finish-register?tenantId=${tenantId}&token=secret`
const verified = {
  outcome: 'atOnce',
  emailAddress: 'ada@acme.example',
  tenancyName: 'Acme',
  brand: { name: 'Acme', bannerColour: '#1f6feb', supportEmail: '', look: {} },
  disclaimer: 'Authorised use only.',
}
const showFinish = (at = link) => showScreen(<FinishRegister />, { at, path: '/finish-register', viewer: false })

describe('Registering', () => {
  it('asks with the code of the address, and says the same for every e-mail address', async () => {
    const server = await answering({ [`POST ${register.path}`]: {} })
    const { user } = showScreen(<Register />, { at: '/register?code=handed-out', path: '/register', viewer: false })
    await expectAccessible()
    await user.fill(screen.getByRole('textbox', { name: /^Given name/ }), 'Ada')
    await user.fill(screen.getByRole('textbox', { name: /^Family name/ }), 'Byron')
    await user.fill(screen.getByRole('textbox', { name: /^E-mail address/ }), ' ada@acme.example ')
    await user.click(screen.getByRole('button', { name: 'Send link' }))
    expect(await screen.findByText(/If registration is open to ada@acme.example, a mail is on its way/)).toBeDefined()
    expect(server.asked.map(({ body }) => body)).toEqual([
      { givenName: 'Ada', familyName: 'Byron', emailAddress: 'ada@acme.example', code: 'handed-out' },
    ])
  })

  it('leads from the mailed link to the activation of the account, under the terms of the tenancy', async () => {
    await answering({
      [`POST ${verify.path}`]: verified,
      [`POST ${finish.path}`]: { outcome: 'active', username: 'ada@acme.example', activationToken: 'one-time' },
    })
    const { user, router } = showFinish()
    expect(await screen.findByText('Authorised use only.')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Create my account' }))
    await expect.poll(() => router.state.location.pathname).toBe('/activateaccount/one-time')
  })

  it('waits where somebody decides', async () => {
    await answering({ [`POST ${verify.path}`]: { ...verified, outcome: 'approval' }, [`POST ${finish.path}`]: { outcome: 'waiting' } })
    const { user } = showFinish()
    await user.click(await screen.findByRole('button', { name: 'Ask for my account' }))
    expect(await screen.findByText('Your registration waits for a decision')).toBeDefined()
  })

  it('tells the owner of the address alone that there is an account', async () => {
    await answering({ [`POST ${verify.path}`]: { ...verified, outcome: 'known' } })
    showFinish()
    expect(await screen.findByText('You have an account already')).toBeDefined()
  })

  it('says why an address could not be verified', async () => {
    const says = 'Failed to verify email: this link has been used, has expired, or is not whole. Register again'
    await answering({ [`POST ${verify.path}`]: () => ({ status: 404, body: { code: 'linkUsed', message: says } }) })
    showFinish()
    expect(await screen.findByText(says)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Register again' }).getAttribute('href')).toBe('/register')
  })

  it('says that a link is not whole without asking the server', async () => {
    const server = await answering({})
    showFinish('/finish-register?tenantId=018f')
    expect(await screen.findByText('Failed to verify email: this link is not whole')).toBeDefined()
    expect(server.asked).toEqual([])
  })
})

describe('Those who may', () => {
  it('open it by approval, with the role of ordinary people, and see the address to hand out', async () => {
    const server = await answering({
      [`GET ${settings.path}`]: {
        mode: 'off',
        roleIds: [],
        roles: [{ id: tenantId, name: 'User', description: '', permits: [] }],
        domains: [],
      },
      [`PUT ${changeSettings.path}`]: {},
    })
    const { user } = showScreen(<RegistrationSettings />, { at: '/config/registration' })
    await user.click(await screen.findByRole('radio', { name: /By approval/ }))
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Save settings' }))
    await expect.poll(() => server.asked.find(({ method }) => method === 'PUT')?.body).toEqual({ mode: 'approval', roleIds: [tenantId] })
  })

  it('approve who waits', async () => {
    const row = {
      id: tenantId,
      givenName: 'Ada',
      familyName: 'Byron',
      emailAddress: 'ada@acme.example',
      state: 'waiting',
      askedAt: '2026-03-04T10:00:00.000Z',
      decidedBy: '',
    }
    const server = await answering({ [`POST ${search.path}`]: { rows: [row], total: 1, more: false }, [`PATCH ${decide.path}`]: {} })
    const { user } = showScreen(<Registrations />, { at: '/identity/user/registrations' })
    await user.click(await screen.findByRole('button', { name: /Actions.*Ada Byron|Ada Byron/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Approve registration' }))
    await user.click(await screen.findByRole('button', { name: 'Approve registration' }))
    await expect.poll(() => server.asked.find(({ method }) => method === 'PATCH')?.body).toEqual({ id: tenantId, approve: true })
  })
})
