import { screen } from '@testing-library/react'
import { pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { recovery } from '../contract.ts'
import { ForgotPassword } from './ForgotPassword.tsx'
import { ResetPassword } from './ResetPassword.tsx'

const { request, validateLink, reset } = recovery.calls
const salt = Buffer.alloc(32, 3).toString('base64')
const link = {
  isValid: true,
  username: 'ida',
  tenancy: 'Acme',
  brand: { name: 'Acme', bannerColour: '#1f6feb', supportEmail: '', look: {} },
  passwordConfig: { shortest: 12 },
  secretQuestions: { clientSalt: '', questions: [], version: -1 },
}
const showReset = () => showScreen(<ResetPassword />, { at: '/forgotpassword/link', path: '/forgotpassword/:token', viewer: false })

describe('A forgotten password', () => {
  it('is asked for by address; the page says the same for every address', async () => {
    const server = await answering({ [`POST ${request.path}`]: {} })
    const { user } = showScreen(<ForgotPassword />, { at: '/forgotpassword', viewer: false })
    await expectAccessible()
    await user.fill(screen.getByRole('textbox', { name: /^E-mail address/ }), ' ida@example.org ')
    await user.click(screen.getByRole('button', { name: 'Send link' }))
    expect(await screen.findByText(/If an account has the address ida@example.org, a mail is on its way/)).toBeDefined()
    expect(server.asked.map(({ body }) => body)).toEqual([{ emailAddress: 'ida@example.org' }])
  })

  it('is chosen anew by the link', async () => {
    const server = await answering({ [`POST ${validateLink.path}`]: link, [`POST ${reset.path}`]: {} })
    const { user } = showReset()
    await user.fill(await screen.findByLabelText(/^New password/), 'four words on paper')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Set new password' }))
    expect(await screen.findByText('Your password is reset')).toBeDefined()
    expect(server.asked.find(({ path }) => path === reset.path)?.body).toEqual({ token: 'link', password: 'four words on paper' })
  })

  it('asks for the secret questions, in both forms of their answers where version 1 stands', async () => {
    const asked = { ...link, secretQuestions: { clientSalt: salt, questions: [{ question: 'firstPet' }], version: 1 } }
    const server = await answering({ [`POST ${validateLink.path}`]: asked, [`POST ${reset.path}`]: {} })
    const { user } = showReset()
    await user.fill(await screen.findByLabelText(/^First pet/), 'Rex')
    await user.fill(screen.getByLabelText(/^New password/), 'four words on paper')
    await user.click(screen.getByRole('button', { name: 'Set new password' }))
    expect(await screen.findByText('Your password is reset')).toBeDefined()
    const hash = (text: string) => pbkdf2Sync(text, Buffer.from(salt, 'base64'), 100, 16, 'sha256').toString('base64')
    expect(server.asked.find(({ path }) => path === reset.path)?.body).toEqual({
      token: 'link',
      password: 'four words on paper',
      secret_answers: {
        client_salt: salt,
        answers: [{ question: 'firstPet', answer_hash: hash('Rex'), answer_hash_updated: hash('rex') }],
      },
    })
  })

  it('stays as it was where the link does not work any more', async () => {
    await answering({ [`POST ${validateLink.path}`]: { isValid: false } })
    showReset()
    expect(await screen.findByText('This link does not work any more')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Ask for a new link' }).getAttribute('href')).toBe('/forgotpassword')
  })

  it('says so where the link was used elsewhere while the page stood open', async () => {
    await answering({
      [`POST ${validateLink.path}`]: link,
      [`POST ${reset.path}`]: () => ({ status: 404, body: { code: 'linkUsed', message: 'This link has been used or has expired' } }),
    })
    const { user } = showReset()
    await user.fill(await screen.findByLabelText(/^New password/), 'four words on paper')
    await user.click(screen.getByRole('button', { name: 'Set new password' }))
    expect(await screen.findByText('This link does not work any more')).toBeDefined()
  })
})
