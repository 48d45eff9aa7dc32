import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { noPermission } from '#core/contract/permissions.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { MailNote } from '../MailNote.tsx'
import { Outbox } from './Outbox.tsx'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
beforeEach(() => as(acme.administrator))

describe('The outbox', () => {
  it('says why mail waits, and gives the link of one to hand over', async () => {
    const empty = showScreen(<Outbox />, { at: '/config/outbox' })
    expect(await screen.findByText('No mail yet')).toBeDefined()
    expect(screen.getByText('No mail server is set')).toBeDefined()
    await expectAccessible()
    empty.unmount()

    const { activationLink } = await acme.administrator.call(users.calls.add, {
      username: 'mary',
      givenName: 'Mary',
      familyName: 'Somerville',
      emailAddress: 'mary@example.org',
    })
    const shown = showScreen(<Outbox />, { at: '/config/outbox' })
    await shown.user.click(await screen.findByRole('link', { name: 'Activate your account' }))
    expect(shown.router.state.location.search).toMatch(/^\?mail=/)
    const dialog = within(await screen.findByRole('dialog', { name: 'Mail' }))
    expect(await dialog.findByText('mary@example.org')).toBeDefined()
    expect(dialog.getByText((text) => text.includes(activationLink))).toBeDefined()
    await expectAccessible()

    await shown.user.click(dialog.getByRole('button', { name: 'Copy Link' }))
    expect(await navigator.clipboard.readText()).toBe(activationLink)
    await shown.user.keyboard('{Escape}')
    await waitFor(() => expect(shown.router.state.location.search).toBe(''))
  })
})

describe('What a screen says of the mail that its deed writes', () => {
  it('names the Outbox only to who can open it, where no mail leaves', async () => {
    const { unmount } = showScreen(<MailNote sent="You get a mail." />)
    expect(await screen.findByText(/the mail waits in the Outbox/)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Open the Outbox' })).toBeDefined()
    unmount()
    const eve = await acme.person({ permissions: ['selfServicePortal'] })
    as(eve)
    showScreen(
      <p>
        Others must agree. <MailNote sent="You get a mail." unsent="No mail leaves." />
      </p>,
      { viewer: { permission: noPermission } },
    )
    expect(await screen.findByText('Others must agree. No mail leaves.')).toBeDefined()
    expect(screen.queryByText(/Outbox/)).toBeNull()
  })
})
