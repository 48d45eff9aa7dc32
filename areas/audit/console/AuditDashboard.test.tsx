import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { inTenant } from '#core/server/database.ts'
import { writeEvents } from '#core/server/events.ts'
import { useSharedHouse, type TestPerson } from '#core/testing/house.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { audit } from '../contract.ts'
import { AuditDashboard } from './AuditDashboard.tsx'
import { sinceText } from './spans.ts'

let ada: TestPerson
let restore = () => {}

const house = await useSharedHouse()
beforeEach(async () => {
  ada = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: ['audit'] })
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
})
afterEach(() => restore())

const open = (rest = ''): Shown => showScreen(<AuditDashboard />, { at: `/auditing/dashboard${rest}` })

const write = (name: string, outcome: 'done' | 'refused' = 'done') =>
  inTenant(house.house.database, ada.tenantId, (db) =>
    writeEvents(db, ada.tenantId, [
      {
        at: house.clock.now(),
        actor_id: null,
        actor: 'Grace',
        address: '192.0.2.7',
        area: 'keys',
        name,
        outcome,
        about: 'key-1',
        body: JSON.stringify({ size: 256 }),
        request_id: 'r-1',
      },
    ]),
  )
/** Until a checkpoint covers every event of the tenancy. */
async function signed(): Promise<void> {
  const covered = async () => {
    const { rows } = await ada.call(audit.calls.search, {})
    const { checkpoint } = await ada.call(audit.calls.status, {})
    return rows.every(({ sequence }) => sequence !== undefined && sequence < (checkpoint?.size ?? 0))
  }
  await expect.poll(covered).toBe(true)
}

describe('the audit dashboard', () => {
  it('lists what was done and what was refused, newest first', async () => {
    await write('tokenRegistered')
    await write('deleted', 'refused')
    open()
    const table = await screen.findByRole('table', { name: 'Events' })
    await within(table).findByRole('link', { name: 'Registered a hardware token' })
    const [newest] = within(table).getAllByRole('row').slice(1)
    if (newest === undefined) throw new Error('A row is missing')
    expect(within(newest).getByText('keys: deleted')).toBeDefined()
    expect(within(newest).getByText('Refused')).toBeDefined()
    await expectAccessible()
  })

  it('names what an event is about, and leads to it who may open it', async () => {
    const { administrator } = await house.tenancy(`Tenancy ${Math.random()}`)
    const { id } = await administrator.call(roles.calls.add, { name: 'Clerks', view: [], menu: [], api: [] })
    restore()
    restore = leadFetchTo(house.origin, { authorization: `Bearer ${administrator.token}` })
    const { user } = open()
    const table = await screen.findByRole('table', { name: 'Events' })
    expect((await within(table).findByRole('link', { name: 'Clerks' })).getAttribute('href')).toBe(`/identity/role/view/${id}`)
    await expectAccessible()
    await user.click(within(table).getByRole('link', { name: 'Added a role' }))
    const drawer = within(await screen.findByRole('dialog'))
    expect((await drawer.findByRole('link', { name: 'Clerks' })).getAttribute('href')).toBe(`/identity/role/view/${id}`)
    expect(drawer.getByText(id)).toBeDefined()
  })

  it('narrows by area and outcome, in the address', async () => {
    await write('tokenRegistered')
    await write('deleted', 'refused')
    open('?outcome=refused')
    const table = await screen.findByRole('table', { name: 'Events' })
    await within(table).findByRole('link', { name: 'keys: deleted' })
    expect(within(table).queryByRole('link', { name: 'Registered a hardware token' })).toBeNull()
  })

  it('finds an event by the words that it is shown with, from an address too, and says what was searched for', async () => {
    await write('tokenRegistered')
    await write('tokenRemoved')
    open('?text=token+registered')
    const table = await screen.findByRole('table', { name: 'Events' })
    await within(table).findByRole('link', { name: 'Registered a hardware token' })
    expect(within(table).queryByRole('link', { name: 'Removed a hardware token' })).toBeNull()
    expect(screen.getByText('Searched for: “Registered a hardware token”; the text in the newest 50,000 events.')).toBeDefined()
    await expectAccessible()
  })

  it('shows an event with its details, and proves it', async () => {
    await write('tokenRegistered')
    await signed()
    const { user, router } = open()
    await user.click(await screen.findByRole('link', { name: 'Registered a hardware token' }))
    const drawer = within(await screen.findByRole('dialog'))
    expect(router.state.location.search).toMatch(/^\?open=/)
    expect(await drawer.findByDisplayValue(/"size": 256/)).toBeDefined()
    await user.click(drawer.getByRole('button', { name: 'Prove this event' }))
    expect(await drawer.findByText(/^\d+ of \d+$/)).toBeDefined()
    expect(drawer.getByRole('button', { name: 'Save proof' })).toBeDefined()
    await expectAccessible()
    await user.click(drawer.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('shows on whose request something was done, and who agreed', async () => {
    const requestId = '018f0000-0000-7000-8000-000000000077'
    restore()
    await answering({
      [`POST ${audit.calls.search.path}`]: {
        rows: [
          {
            id: requestId,
            at: '2026-03-04T10:00:05.000Z',
            actor: 'Chancery',
            address: '',
            area: 'certificates',
            name: 'issued',
            outcome: 'done',
            about: '',
            body: '{}',
            requestId: 'r-1',
            askedBy: 'ada',
            agreedBy: ['bob', 'eve'],
          },
        ],
        total: 1,
        more: false,
        facets: { area: {}, outcome: {}, event: {}, actor: {} },
      },
    })
    open()
    expect(await screen.findByText('on request of ada, approved by bob and eve')).toBeDefined()
  })

  it('takes a span of time to the second', async () => {
    await write('tokenRegistered')
    const { router, user } = open()
    await user.click(within(await screen.findByRole('search', { name: 'Events' })).getByRole('button', { name: 'Time' }))
    fireEvent.change(await screen.findByLabelText('From'), { target: { value: '2026-03-04T10:00:05' } })
    await waitFor(() => expect(router.state.location.search).toContain(encodeURIComponent(new Date('2026-03-04T10:00:05').toISOString())))
  })

  it('says how long the log is, by what key it is verified, and when it was', async () => {
    await write('tokenRegistered')
    await signed()
    await house.runJob(audit.jobs.verify)
    const { user } = open()
    expect(await screen.findByText('Intact')).toBeDefined()
    expect(screen.getByText(/^\d+ events signed, verified /)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Details' }))
    expect(screen.getByText(/^chancery-audit\/.*\+[0-9a-f]{8}\+/)).toBeDefined()
    expect(screen.getByRole('button', { name: 'Save checkpoint' })).toBeDefined()
  })

  it('says what went wrong where the server refuses', async () => {
    restore()
    const eve = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: ['certView'] })
    restore = leadFetchTo(house.origin, { authorization: `Bearer ${eve.token}` })
    open()
    expect((await screen.findAllByText('You do not have permission to do this')).length).toBeGreaterThan(0)
  })
})

describe('a time to choose', () => {
  it('begins at a whole step, so that the question stays the same for a while', () => {
    expect(sinceText('day', new Date('2026-03-02T10:20:30Z'))).toBe('2026-03-01T10:00:00.000Z')
    expect(sinceText('day', new Date('2026-03-02T10:59:59Z'))).toBe('2026-03-01T10:00:00.000Z')
    expect(sinceText('nonsense', new Date())).toBe('nonsense')
  })
})
