import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { ordering } from '../contract.ts'
import { examples } from '../examples.fixture.ts'
import { AddAuthority } from './AddAuthority.tsx'
import { AddOrder } from './AddOrder.tsx'
import { AddResponder } from './AddResponder.tsx'
import { Authorities } from './Authorities.tsx'
import { EditResponder } from './EditResponder.tsx'
import { Orders } from './Orders.tsx'
import { ViewOrder } from './ViewOrder.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
})
beforeEach(() => as(ada))

describe('External ACME authorities', () => {
  it('are added from the known ones, once their terms are agreed to', async () => {
    const shown = showScreen(<AddAuthority />, { at: '/config/acme/authority/new' })
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Name/ }), 'Neighbour')
    await shown.user.fill(screen.getByRole('textbox', { name: /^Directory/ }), 'https://192.88.98.10/directory')
    await shown.user.click(screen.getByRole('button', { name: 'Add authority' }))
    expect(await screen.findAllByText(/Nothing can be ordered from an authority without agreeing/)).toBeDefined()
    await shown.user.click(screen.getByRole('checkbox', { name: /I agree to the terms/ }))
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Add authority' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/config/acme'))
    expect((await ada.call(ordering.calls.authorities, {})).rows).toMatchObject([{ name: 'Neighbour', registered: false }])
  })

  it('are listed with whether an account is registered there', async () => {
    showScreen(<Authorities />, { at: '/config/acme?tab=external' })
    expect(await screen.findByRole('link', { name: 'Neighbour' })).toBeDefined()
    await expectAccessible()
  })
})

describe('A DNS responder', () => {
  it('is added with its secret', async () => {
    const shown = showScreen(<AddResponder />, { at: '/config/acme/responder/new' })
    const fill = async (name: RegExp, value: string) => shown.user.fill(await screen.findByRole('textbox', { name }), value)
    await fill(/^Name\b(?! )/, 'Our DNS')
    await fill(/^Name server/, '192.88.98.53')
    await fill(/^Zone/, 'example.org')
    await fill(/^Name of the key/, 'acme-key')
    await shown.user.fill(screen.getByLabelText(/^Secret of the key/), 'c2VjcmV0LXNlY3JldC1zZWNyZXQ=')
    await shown.user.click(screen.getByRole('button', { name: 'Add responder' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toBe('/config/acme'))
  })

  it('shows its secret never again', async () => {
    const [row] = (await ada.call(ordering.calls.responders, {})).rows
    const { container } = showScreen(<EditResponder />, {
      at: `/config/acme/responder/edit/${row?.id}`,
      path: '/config/acme/responder/edit/:id',
    })
    expect(await screen.findByDisplayValue('acme-key')).toBeDefined()
    expect(container.innerHTML).not.toContain('c2VjcmV0')
    await expectAccessible()
  })
})

describe('An order', () => {
  it('is begun by its form, and its page shows the six steps', async () => {
    await examples.editAuthority(ada)
    const shown = showScreen(<AddOrder />, { at: '/credentials/certificates/le/new' })
    const [names] = await screen.findAllByLabelText(/^Names/)
    if (names === undefined) throw new Error('There is no field for the names')
    await shown.user.type(names, 'x.example.org{Enter}')
    await shown.user.click(screen.getByRole('radio', { name: /A record that I put into the DNS/ }))
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Order certificate' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/^\/credentials\/certificates\/le\/order\//))
    const [row] = (await ada.call(ordering.calls.orders, {})).rows
    expect(row).toMatchObject({ names: ['x.example.org'], step: 'registration' })
  })

  it('stands in the list, and its page shows the six steps', async () => {
    const { id } = await examples.order(ada)
    showScreen(<ViewOrder />, { at: `/credentials/certificates/le/order/${id}`, path: '/credentials/certificates/le/order/:id' })
    expect(await screen.findByRole('heading', { level: 1, name: 'www.example.org' })).toBeDefined()
    const steps = within((await screen.findByRole('heading', { name: 'Steps' })).closest('section') ?? document.body)
    for (const step of ['Registration', 'Order', 'Authorisation', 'Validation', 'Finalisation', 'Certificate'])
      expect(steps.getByText(step)).toBeDefined()
    await expectAccessible()
  })

  it('is listed', async () => {
    showScreen(<Orders />, { at: '/credentials/certificates/le/upload' })
    expect((await screen.findAllByRole('link', { name: /example\.org/ })).length).toBeGreaterThan(0)
    await expectAccessible()
  })
})
