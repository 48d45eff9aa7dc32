import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { screensOf } from '#core/testing/screens.ts'
import { Installation } from './Installation.tsx'
import { KeyValues } from './KeyValues.tsx'

const house = await useHouse()
const as = screensOf(house)
let ada: TestPerson

beforeAll(async () => {
  ada = (await house.tenancy('Management')).administrator
})
beforeEach(() => as(ada))

describe('Keys and values', () => {
  it('are changed in a dialog and taken back', async () => {
    const shown = showScreen(<KeyValues />, { at: '/config/tenancy/kvdata' })
    await shown.user.click(await screen.findByRole('button', { name: 'Change Largest request' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Largest request' }))
    await shown.user.fill(dialog.getByRole('textbox', { name: /^Largest request/ }), '512')
    await shown.user.click(dialog.getByRole('button', { name: 'Save value' }))
    expect(await screen.findByText('512 KiB')).toBeDefined()
    await expectAccessible()
    await shown.user.click(await screen.findByRole('button', { name: 'As at first: Largest request' }))
    await expect.poll(() => screen.queryByText('512 KiB')).toBeNull()
  })
})

describe('The installation', () => {
  it('is shown by parts, each value with the setting that says it', async () => {
    showScreen(<Installation />, { at: '/config/chancery/outward', path: '/config/chancery/:tab?' })
    expect(await screen.findByText('CHANCERY_OUTWARD_ALLOW')).toBeDefined()
    await expectAccessible()
  })
})
