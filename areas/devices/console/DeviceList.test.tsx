import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { devices } from '../contract.ts'
import { DeviceList } from './DeviceList.tsx'

const { house, as } = await houseForScreens()
const ada = (await house.tenancy('Acme')).administrator

it('Somebody new has a saved view of mobile devices, and whoever removes it has it no more', async () => {
  as(ada)
  await ada.call(devices.calls.add, { name: 'telephone', type: 'Mobile' })
  await ada.call(devices.calls.add, { name: 'printer', type: 'Printer' })
  const shown = showScreen(<DeviceList />, { at: '/search/device' })
  expect(await screen.findByText('printer')).toBeDefined()
  await shown.user.click(screen.getByRole('button', { name: 'List options' }))
  await shown.user.click(await screen.findByRole('button', { name: 'Mobile' }))
  expect(await screen.findByText('telephone')).toBeDefined()
  await expect.poll(() => screen.queryByText('printer')).toBeNull()
  await shown.user.click(screen.getByRole('button', { name: 'List options' }))
  await shown.user.click(await screen.findByRole('button', { name: 'Remove view Mobile' }))
  await expect.poll(() => screen.queryByRole('button', { name: 'Mobile' })).toBeNull()
  shown.unmount()
})
