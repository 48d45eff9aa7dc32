import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useHouse } from '#core/testing/house.ts'
import { screensOf } from '#core/testing/screens.ts'
import { tenancy } from '../contract.ts'
import { endTenancy } from '../service.ts'
import { ManagedTenancies } from './ManagedTenancies.tsx'
import { TenancyConfig } from './TenancyConfig.tsx'

const house = await useHouse()
const as = screensOf(house)
const acme = await house.tenancy('Acme')
const grace = acme.administrator
beforeEach(() => as(grace))

describe('The settings of a tenancy', () => {
  it('show a colour as it will be read in both themes, and are saved', async () => {
    const shown = showScreen(<TenancyConfig />, { at: '/config/tenancy' })
    const colour = await screen.findByRole('textbox', { name: /^Colour/ })
    await expectAccessible()
    await shown.user.fill(colour, '#ffd400')
    const preview = within(screen.getByRole('group', { name: 'Preview of the colour' }))
    const [moved] = preview.getAllByText(/^#ffd400 becomes #[0-9a-f]{6} here, so that it can be read\.$/)
    expect(moved).toBeDefined()
    for (const ratio of preview.getAllByText(/^Contrast/))
      expect(Number.parseFloat(ratio.textContent?.replace('Contrast ', '') ?? '0')).toBeGreaterThanOrEqual(4.5)
    await shown.user.fill(screen.getByRole('textbox', { name: 'Terms of use' }), 'Authorised use only.')
    await shown.user.click(screen.getByRole('button', { name: 'Save settings' }))
    await waitFor(async () =>
      expect(await grace.call(tenancy.calls.read, {})).toMatchObject({ bannerColour: '#ffd400', disclaimer: 'Authorised use only.' }),
    )
  })

  it('name what is wrong with a colour', async () => {
    const shown = showScreen(<TenancyConfig />, { at: '/config/tenancy' })
    const colour = await screen.findByRole('textbox', { name: /^Colour/ })
    await shown.user.fill(colour, 'yellow')
    await shown.user.click(screen.getByRole('button', { name: 'Save settings' }))
    expect((await screen.findAllByText(/Enter a colour such as #1f6feb/)).length).toBeGreaterThan(0)
    expect(screen.queryByRole('group', { name: 'Preview of the colour' })).toBeNull()
    await expectAccessible()
  })
})

describe('Managed tenancies', () => {
  it('are made in the management tenancy only, as the page of another one says', async () => {
    showScreen(<ManagedTenancies />, { at: '/config/tenancy/managed' })
    expect(await screen.findByText(/created in the management tenancy/)).toBeDefined()
    expect(screen.queryByRole('link', { name: 'New tenancy' })).toBeNull()
  })

  it('are listed with the way to make one', async () => {
    const shown = showScreen(<ManagedTenancies />, { at: '/config/tenancy/managed', viewer: { management: true } })
    expect(await screen.findByText('No other tenancies yet')).toBeDefined()
    expect(screen.getByRole('link', { name: 'New tenancy' }).getAttribute('href')).toBe('/tenancy/manage/create')
    await expectAccessible()
    shown.unmount()
    await house.tenancy('Birch')
    await house.tenancy('Cedar')
    const again = showScreen(<ManagedTenancies />, { at: '/config/tenancy/managed' })
    expect(await screen.findByRole('cell', { name: 'Birch' })).toBeDefined()
    await again.user.click(screen.getByRole('button', { name: 'Actions for Cedar' }))
    expect(await screen.findByRole('menuitem', { name: 'Work in this tenancy' })).toBeDefined()
    await expectAccessible()
  })

  it('say of a deleted one when it ends, and lead nobody into it', async () => {
    const { id } = await house.tenancy('Dogwood')
    await endTenancy(house.house.database, id, { at: new Date(house.clock.now().getTime() + 30 * 86_400_000), askedBy: 'Ada' })
    const shown = showScreen(<ManagedTenancies />, { at: '/config/tenancy/managed' })
    expect(await screen.findByText(/^Deleted, removed on /)).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Actions for Dogwood' }))
    expect(await screen.findByRole('menuitem', { name: 'Take the deletion back' })).toBeDefined()
    expect(screen.queryByRole('menuitem', { name: 'Work in this tenancy' })).toBeNull()
    await expectAccessible()
  })
})
