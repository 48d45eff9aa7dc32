import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen, testViewer } from '#core/console/testing/render.tsx'
import { toastStore } from '#core/console/toasts.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { tickets } from '../contract.ts'
import { AddTicket } from './AddTicket.tsx'
import { EditTicket } from './EditTicket.tsx'
import { MyTickets } from './MyTickets.tsx'
import { ViewTicket } from './ViewTicket.tsx'

const { house, as } = await houseForScreens()
let ada: TestPerson
let desk: TestPerson

beforeAll(async () => {
  const acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['ticketView', 'ticketAdd'], username: 'ada' })
  desk = await acme.person({
    permissions: ['ticketView', 'ticketAdd', 'ticketEdit'],
    username: 'desk',
    givenName: 'Dora',
    familyName: 'Desk',
  })
})
beforeEach(() => as(ada))

const raise = async (title: string): Promise<string> =>
  String((await ada.call(tickets.calls.add, { title, category: 'Bug', description: 'Since Friday' })).ticketId)
const showTicket = (id: string, viewer: Partial<typeof testViewer> = {}) =>
  showScreen(<ViewTicket />, { at: `/support/ticket/${id}/view`, path: '/support/ticket/:id/view', viewer })
const showEdit = (id: string) => showScreen(<EditTicket />, { at: `/support/ticket/${id}/edit`, path: '/support/ticket/:id/edit' })
/** A requester, who does not handle tickets. */
const requester = {
  permission: { ...testViewer.permission, api: ['ticketView', 'ticketAdd'], View: ['ticketView', 'ticketAdd'], Menu: ['ticketView'] },
}
const toasts = () => toastStore.getState().log.map(({ title }) => title)

describe('Tickets', () => {
  it('are raised with a title, a category and a description, by the specified hints', async () => {
    const shown = showScreen(<AddTicket />, { at: '/support/ticket/add', viewer: requester })
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Title/ }), 'The reader is not found')
    expect(screen.getByText('Enter a descriptive title for your ticket')).toBeDefined()
    expect(screen.queryByRole('combobox', { name: /^Priority/ })).toBeNull()
    await shown.user.fill(screen.getByRole('textbox', { name: /^Description/ }), 'Plug it in, open the page, nothing.')
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Create ticket' }))
    await waitFor(() => expect(shown.router.state.location.pathname).toMatch(/^\/support\/ticket\/\d+\/view$/))
    expect(toasts()).toContain('Ticket created successfully!')
  })

  it('are listed with their badge, counted in tiles, and closed together', async () => {
    const [first, second] = [await raise('Printer is on fire'), await raise('Printer is wet')]
    as(desk)
    const shown = showScreen(<MyTickets />, { at: '/support/myTickets?q=printer' })
    const row = within(await screen.findByRole('row', { name: /Printer is on fire/ }))
    expect(row.getByText('Open').closest('[data-colour]')?.getAttribute('data-colour')).toBe('primary')
    const tiles = within(screen.getByRole('group', { name: 'Ticket metrics' }))
    await waitFor(() =>
      expect(tiles.getAllByRole('link').map((link) => link.getAttribute('href'))).toContain(
        '/support/myTickets?status=open&status=reopened',
      ),
    )
    for (const name of [/Printer is on fire/, /Printer is wet/]) await shown.user.click(screen.getByRole('checkbox', { name }))
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Close tickets' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Close 2 tickets?' }))
    await shown.user.click(dialog.getByRole('button', { name: 'Close tickets' }))
    await waitFor(() => expect(toasts()).toContain('Selected tickets have been closed.'))
    for (const id of [first, second])
      expect((await desk.call(tickets.calls.read, { ticketId: Number(id) })).ticketStatus).toBe('TICKET_STATUS_CLOSED')
  })

  it('are shown by who raised them, from a link or chosen by name', async () => {
    await raise('Opal of Ada')
    await desk.call(tickets.calls.add, { title: 'Opal of the desk', category: 'Bug', description: 'Since Friday' })
    as(desk)
    showScreen(<MyTickets />, { at: `/support/myTickets?q=opal&createdBy=${ada.id}` })
    expect(await screen.findByRole('row', { name: /Opal of Ada/ })).toBeDefined()
    expect(screen.queryByRole('row', { name: /Opal of the desk/ })).toBeNull()
    expect((await screen.findAllByText(/\(ada\)/)).length).toBeGreaterThan(0)
    await expectAccessible()
  })

  it('are answered by who handles them, in public and internally', async () => {
    const id = await raise('Two looks')
    as(desk)
    const shown = showTicket(id)
    await shown.user.fill(await screen.findByRole('textbox', { name: /^Your message/ }), 'Between us')
    await shown.user.click(screen.getByRole('checkbox', { name: /^Internal note/ }))
    await shown.user.click(screen.getByRole('button', { name: 'Send message' }))
    const note = within(await screen.findByRole('listitem'))
    expect(note.getByText('Internal note')).toBeDefined()
    await expectAccessible()
    shown.unmount()
    as(ada)
    showTicket(id, requester)
    expect(await screen.findByText('Nobody has written yet.')).toBeDefined()
    expect(screen.queryByRole('checkbox', { name: /^Internal note/ })).toBeNull()
    expect(screen.queryByText('Between us')).toBeNull()
  })

  it('are assigned and given back in place, with the specified texts', async () => {
    const id = await raise('Whose is it')
    as(desk)
    const shown = showTicket(id)
    await shown.user.click(await screen.findByRole('combobox', { name: 'Assigned to' }))
    await shown.user.click(await screen.findByRole('option', { name: /^Dora Desk/ }))
    await waitFor(() => expect(toasts()).toContain('Ticket assigned successfully.'))
    await shown.user.click(await screen.findByRole('button', { name: 'Unassign ticket' }))
    await waitFor(() => expect(toasts()).toContain('Ticket unassigned successfully.'))
    expect((await desk.call(tickets.calls.read, { ticketId: Number(id) })).assignedTo).toBe('')
  })

  it('are edited; where nothing was changed that is said', async () => {
    const id = await raise('As it was')
    as(desk)
    const shown = showEdit(id)
    await screen.findByRole('textbox', { name: /^Title/ })
    await expectAccessible()
    await shown.user.click(screen.getByRole('button', { name: 'Save ticket' }))
    await waitFor(() => expect(toasts()).toContain('No changes were made to the support ticket.'))
    shown.unmount()
    const again = showEdit(id)
    await again.user.fill(await screen.findByRole('textbox', { name: /^Title/ }), 'As it is')
    await again.user.click(screen.getByRole('button', { name: 'Save ticket' }))
    await waitFor(() => expect(toasts()).toContain('Ticket updated successfully!'))
  })
})
