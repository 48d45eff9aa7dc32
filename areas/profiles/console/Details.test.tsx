import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import sessions from '#areas/sessions/console/index.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { profiles } from '../contract.ts'
import { Details } from './Details.tsx'
import { EditDetails } from './EditDetails.tsx'
import { MergeUsers } from './MergeUsers.tsx'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
roomsStore.setState({ consoleModules: [sessions] })
beforeEach(() => as(acme.administrator))

it('A day is typed, refused and shown in the order of the locale', async () => {
  const { id } = await acme.person({ permissions: [] })
  const edit = showScreen(<EditDetails userId={id} />)
  await edit.user.fill(await screen.findByLabelText('Starts on'), '31/02/2027')
  await edit.user.click(screen.getByRole('button', { name: 'Save details' }))
  expect(await screen.findByRole('button', { name: 'Starts on: Enter a day such as 31/03/2027' })).toBeDefined()
  await edit.user.fill(screen.getByLabelText('Starts on'), '28/02/2027')
  await edit.user.click(screen.getByRole('button', { name: 'Save details' }))
  await waitFor(async () =>
    expect((await acme.administrator.call(profiles.calls.read, { id })).values['commencementDate']).toBe('2027-02-28'),
  )
  edit.unmount()
  showScreen(<Details userId={id} />)
  expect(await screen.findByText('28 Feb 2027')).toBeDefined()
})

it('A merge shows what differs and what goes over, and is sent once the name is typed, by somebody who signed in', async () => {
  const { id } = await acme.person({ permissions: [], givenName: 'Ida', familyName: 'Kept' })
  const other = await acme.person({ permissions: [], givenName: 'Ida', familyName: 'Doubled' })
  await acme.administrator.call(profiles.calls.change, { id: other.id, values: { mobile: '0400 000 002' } })
  const shown = showScreen(<MergeUsers />, { at: `/identity/user/merge/${id}`, path: '/identity/user/merge/:id' })
  await shown.user.click(await screen.findByRole('combobox', { name: 'The account that goes' }))
  await shown.user.click(await screen.findByRole('option', { name: /Doubled/ }))
  expect(await screen.findByRole('radio', { name: '0400 000 002' })).toHaveProperty('checked', true)
  expect(screen.getByRole('radio', { name: 'Kept' })).toHaveProperty('checked', true)
  await expectAccessible()
  await shown.user.click(screen.getByRole('button', { name: 'Merge accounts' }))
  const dialog = within(await screen.findByRole('dialog'))
  await shown.user.fill(dialog.getByRole('textbox'), other.username)
  await shown.user.click(dialog.getByRole('button', { name: 'Merge accounts' }))
  expect(await dialog.findByText(/A token cannot do this/)).toBeDefined()
})
