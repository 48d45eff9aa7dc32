import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { organisations } from '../contract.ts'
import { AddOrganisation } from './AddOrganisation.tsx'
import { OrganisationList } from './OrganisationList.tsx'
import { Permissions } from './Permissions.tsx'
import { PersonOrganisations } from './PersonOrganisations.tsx'
import { TreeOrganisations } from './TreeOrganisations.tsx'
import { ViewOrganisation } from './ViewOrganisation.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson
let top: string
let team: string

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  top = (
    await ada.call(organisations.calls.add, { name: 'Ministry', country: 'AU', businessNumber: '51 824 753 557', keepWrongNumber: true })
  ).id
  team = (await ada.call(organisations.calls.add, { name: 'Records', type: 'team', parentId: top })).id
})
beforeEach(() => as(ada))

const viewed = (id: string) => ({ at: `/identity/organisation/view/${id}`, path: '/identity/organisation/view/:id' })

describe('Organisations', () => {
  it('are listed with their place and whether the business number is wrong', async () => {
    showScreen(<OrganisationList />, { at: '/search/organisation' })
    const row = within(await screen.findByRole('row', { name: /^Records/ }))
    expect(row.getByRole('link', { name: 'Records' }).getAttribute('href')).toBe(`/identity/organisation/view/${team}`)
    expect(row.getByText('Ministry')).toBeDefined()
    expect(screen.getByText('51 824 753 557, wrong')).toBeDefined()
    await expectAccessible()
  })

  it('are opened level by level in the tree', async () => {
    const shown = showScreen(<TreeOrganisations />, { at: '/identity/organisation/tree' })
    expect(screen.queryByRole('link', { name: 'Records' })).toBeNull()
    await shown.user.click(await screen.findByRole('button', { name: 'Below Ministry' }))
    expect(await screen.findByRole('link', { name: 'Records' })).toBeDefined()
    await shown.user.keyboard('{ArrowLeft}')
    expect(screen.queryByRole('link', { name: 'Records' })).toBeNull()
    await expectAccessible()
  })

  it('are added below another, and a number is judged while it is typed', async () => {
    const shown = showScreen(<AddOrganisation />, { at: `/identity/organisation/add?parentId=${top}` })
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Archives')
    await shown.user.click(screen.getByRole('combobox', { name: 'Country' }))
    await shown.user.click(await screen.findByRole('option', { name: 'Australia' }))
    await shown.user.fill(screen.getByRole('textbox', { name: 'Business number' }), '51824753557')
    expect(await screen.findByRole('checkbox', { name: 'Keep this number' })).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Add organisation' }))
    expect(await screen.findByRole('button', { name: /^Business number: The check digits do not fit/ })).toBeDefined()
    await shown.user.fill(screen.getByRole('textbox', { name: /^Business number/ }), '51824753556')
    expect(await screen.findByText('Written as 51 824 753 556')).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Add organisation' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/organisation\/view\//))
    expect((await ada.call(organisations.calls.search, { text: 'Archives' })).rows).toMatchObject([{ above: ['Ministry'] }])
  })

  it('say what hangs on them instead of being deleted, each with a way there', async () => {
    const shown = showScreen(<ViewOrganisation />, viewed(top))
    expect(await screen.findByText('The check digits do not fit: one of the digits is wrong')).toBeDefined()
    await shown.user.click(screen.getByRole('button', { name: 'Delete organisation' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Ministry cannot be deleted yet' }))
    expect((await dialog.findByRole('link', { name: /Organisations below/ })).getAttribute('href')).toBe(
      `/identity/organisation/view/${top}?tab=below`,
    )
    await expectAccessible()
  })

  it('show what a move does before it is done', async () => {
    const shown = showScreen(<ViewOrganisation />, viewed(team))
    await shown.user.click(await screen.findByRole('button', { name: 'Move organisation' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Move Records?' }))
    expect(await dialog.findByText('Nothing goes along')).toBeDefined()
    await shown.user.click(dialog.getByRole('button', { name: 'Move organisation' }))
    await expect.poll(async () => (await ada.call(organisations.calls.parents, { id: team })).length).toBe(1)
  })

  it('show what a merge does before it is done', async () => {
    const [from, into] = [
      (await ada.call(organisations.calls.add, { name: 'Old office' })).id,
      (await ada.call(organisations.calls.add, { name: 'New office' })).id,
    ]
    await ada.call(organisations.calls.add, { name: 'Kitchen', parentId: from })
    await ada.call(organisations.calls.setOfPerson, { userId: ada.id, organisationIds: [from, into] })
    const shown = showScreen(<ViewOrganisation />, viewed(from))
    await shown.user.click(await screen.findByRole('button', { name: 'Merge organisation' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Merge Old office?' }))
    await shown.user.click(dialog.getByRole('combobox', { name: /^Merge into/ }))
    await shown.user.click(await screen.findByRole('option', { name: /New office/ }))
    expect(await dialog.findByText('1 person goes to the other (1 of them belong to it already)')).toBeDefined()
    expect(dialog.getByText('1 organisation goes along')).toBeDefined()
    await expectAccessible()
    await ada.call(organisations.calls.setOfPerson, { userId: ada.id, organisationIds: [] })
  })

  it('say who has a role in them, and of a person where the person belongs', async () => {
    const permissions = showScreen(<Permissions />, {
      at: `/identity/organisation/permissions/${top}`,
      path: '/identity/organisation/permissions/:orgId',
    })
    expect(await screen.findByText('Nobody has a role here besides those of the whole tenancy.')).toBeDefined()
    expect(await screen.findByRole('combobox', { name: /^Role/ })).toBeDefined()
    await expectAccessible()
    permissions.unmount()
    await ada.call(organisations.calls.setOfPerson, { userId: ada.id, organisationIds: [top] })
    showScreen(<PersonOrganisations userId={ada.id} />, { at: '/' })
    expect((await screen.findByRole('link', { name: 'Ministry' })).getAttribute('href')).toBe(`/identity/organisation/view/${top}`)
  })
})
