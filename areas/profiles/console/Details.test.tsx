import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import sessions from '#areas/sessions/console/index.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { profiles } from '../contract.ts'
import { Details } from './Details.tsx'
import { EditDetails } from './EditDetails.tsx'

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
