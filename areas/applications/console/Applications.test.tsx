import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { applications } from '../contract.ts'
import { Applications } from './Applications.tsx'
import { EditApplication } from './EditApplication.tsx'
import { ViewApplication } from './ViewApplication.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson
let id = ''

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  const browser = await ada.session()
  id = (
    await browser.call(applications.calls.add, {
      name: 'Nightly export',
      owner: { kind: 'person', id: ada.id },
      scopes: ['userView'],
      networks: ['192.0.2.0/24'],
    })
  ).id
})
beforeEach(() => as(ada))

describe('Applications', () => {
  it('are listed with status, owner and scopes', async () => {
    showScreen(<Applications />, { at: '/applications?state=restricted' })
    expect(await screen.findByRole('row', { name: /Nightly export.*Restricted.*Grace Administrator.*userView/ })).toBeDefined()
    await expectAccessible()
  })

  it('show their secrets by when they were made, and never what they are', async () => {
    const shown = showScreen(<ViewApplication />, { at: `/applications/view/${id}`, path: '/applications/view/:id' })
    expect(await screen.findByRole('table', { name: 'Secrets' })).toBeDefined()
    expect(shown.container.textContent).not.toContain('cha_')
    await expectAccessible()
  })

  it('are edited with what they have now', async () => {
    showScreen(<EditApplication />, { at: `/applications/edit/${id}`, path: '/applications/edit/:id' })
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: /^Name/ })).value).toBe('Nightly export')
    expect(screen.getByText('192.0.2.0/24')).toBeDefined()
    await expectAccessible()
  })
})
