import { screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { endTenancy } from '#areas/tenancy/service.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useHouse } from '#core/testing/house.ts'
import { screensOf } from '#core/testing/screens.ts'
import { departure } from '../contract.ts'
import { waitingDays } from '../rules.ts'
import { Departure } from './Departure.tsx'

const house = await useHouse()
const as = screensOf(house)
const head = await house.tenancy('Head office')
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: 'all' })
beforeEach(() => as(ada))

it('A tenancy is exported and deleted on one page, by its name', async () => {
  const shown = showScreen(<Departure />, { at: '/config/tenancy/departure' })
  expect(await screen.findByRole('button', { name: 'Export the tenancy' })).toBeDefined()
  shown.unmount()
  await (await ada.session()).call(departure.calls.export, {})
  const begun = showScreen(<Departure />, { at: '/config/tenancy/departure' })
  expect(await screen.findByText('Being made')).toBeDefined()
  await house.runJob(departure.jobs.exports)
  await expectAccessible()
  begun.unmount()

  const again = showScreen(<Departure />, { at: '/config/tenancy/departure' })
  expect(await screen.findByText('Ready')).toBeDefined()
  expect(screen.getByText(/^Nothing is lost\. The tenancy Head office can take the deletion back/)).toBeDefined()
  await again.user.click(screen.getByRole('button', { name: 'Delete the tenancy' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Acme?' }))
  await again.user.fill(dialog.getByRole('textbox', { name: 'Type Acme to go on' }), 'acme')
  await again.user.click(dialog.getByRole('button', { name: 'Delete the tenancy' }))
  expect(await dialog.findByText('This is not Acme')).toBeDefined()
  await expectAccessible()
})

it('The management tenancy says why it stays, and keeps a deleted one', async () => {
  await endTenancy(house.house.database, acme.id, { at: new Date(house.clock.now().getTime() + waitingDays * 86_400_000), askedBy: 'Ada' })
  as(await head.person({ permissions: 'all' }))
  const shown = showScreen(<Departure />, { at: '/config/tenancy/departure' })
  expect(await screen.findByText('The management tenancy cannot be deleted: it manages the others.')).toBeDefined()
  await expectAccessible()
  expect(screen.getByRole('button', { name: 'Keep Acme' })).toBeDefined()
  shown.unmount()
})
