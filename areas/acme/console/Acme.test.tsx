import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { acme } from '../contract.ts'
import { examples } from '../examples.fixture.ts'
import { AcmePage } from './AcmePage.tsx'
import { AddDirectory } from './AddDirectory.tsx'
import { EditDirectory } from './EditDirectory.tsx'
import { OrderPage } from './OrderPage.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  const { caId } = await ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: 'Root',
    subject: { CN: 'Root' },
    keyAlgorithm: 'P-256',
  })
  const preset = templatePresets.find(({ templateName }) => templateName === 'TLSServer')
  if (preset === undefined) throw new Error('There is no preset')
  const { says: _says, ...draft } = preset
  await ada.call(templates.calls.add, { ...draft, caId, issueApprovers: 0 })
})
beforeEach(() => as(ada))

describe('The ACME server', () => {
  it('has directories, which are made by their form', async () => {
    const shown = showScreen(<AddDirectory />, { at: '/config/acme/new' })
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Web servers')
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Create directory' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/config/acme'))
    const { rows } = await ada.call(acme.calls.directories, {})
    expect(rows).toMatchObject([{ name: 'Web servers', eabRequired: true, enabled: true }])
  })

  it('lists them with their addresses', async () => {
    showScreen(<AcmePage />, { at: '/config/acme' })
    const row = within(await screen.findByRole('row', { name: /^Web servers/ }))
    expect(row.getByText(/\/acme\/[\w-]+\/directory$/)).toBeDefined()
    await expectAccessible()
  })

  it('shows the command lines of the clients', async () => {
    showScreen(<AcmePage />, { at: '/config/acme?tab=commands' })
    const line = await screen.findByRole('textbox', { name: 'certbot' })
    expect((line as HTMLTextAreaElement).value).toMatch(/certbot certonly[\s\S]*\/acme\/[\w-]+\/directory[\s\S]*--eab-kid EAB_KID/)
    for (const name of ['lego', 'acme.sh', 'Caddy', 'Traefik', 'nginx-acme', 'cert-manager', 'win-acme'])
      expect(screen.getByRole('textbox', { name })).toBeDefined()
  })

  it('makes an EAB key and shows its secret once', async () => {
    const shown = showScreen(<AcmePage />, { at: '/config/acme?tab=eab' })
    await shown.user.click(await screen.findByRole('button', { name: 'New EAB key' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New EAB key' }))
    await shown.user.fill(await dialog.findByRole('textbox', { name: /^Name/ }), 'Team')
    await shown.user.click(dialog.getByRole('button', { name: 'Make key' }))
    expect(await dialog.findByText('The HMAC key is not shown again.')).toBeDefined()
    await expect.poll(async () => (await ada.call(acme.calls.eabs, {})).rows[0]?.name).toBe('Team')
  })

  it('shows an order with each name and its challenges', async () => {
    const { id } = await examples.order(ada)
    showScreen(<OrderPage />, { at: `/config/acme/order/${id}`, path: '/config/acme/order/:id' })
    expect(await screen.findByRole('heading', { level: 1, name: 'www.example.org' })).toBeDefined()
    expect(screen.getByRole('heading', { name: 'http-01' })).toBeDefined()
    await expectAccessible()
  })

  it('changes a directory, and says whose name it asks in', async () => {
    const { id } = await examples.editDirectory(ada)
    const shown = showScreen(<EditDirectory />, { at: `/config/acme/edit/${id}`, path: '/config/acme/edit/:id' })
    expect(await screen.findByText('Asks in the name of')).toBeDefined()
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Renamed')
    await shown.user.click(screen.getByRole('button', { name: 'Save directory' }))
    await expect.poll(async () => (await ada.call(acme.calls.directory, { id })).name).toBe('Renamed')
  })
})
