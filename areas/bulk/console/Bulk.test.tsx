import { screen, waitFor, within } from '@testing-library/react'
import { consoleModules } from 'virtual:rooms'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { CertificateList } from '#areas/certificates/console/CertificateList.tsx'
import { certificates } from '#areas/certificates/contract.ts'
import { openSharedIssuing } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { bulk } from '../contract.ts'
import { manyCertificates } from '../server/many.fixture.ts'
import { BulkRun } from './BulkRun.tsx'
import { BulkRuns } from './BulkRuns.tsx'

// Bulk work asks the rooms what they offer.
roomsStore.setState({ consoleModules })

const { calls, screens } = bulk
const action = 'revocation.revoke'

const { house, pki, close } = await openSharedIssuing()
const rita = await pki.tenancy.person({ permissions: 'all', username: 'rita' })
const restore = leadFetchTo(house.origin, { authorization: `Bearer ${rita.token}` })
// A browser's socket brings the cookie along; here it brings the token.
class Socket extends WebSocket {
  constructor(address: string) {
    super(address, { headers: { authorization: `Bearer ${rita.token}` } })
  }
}
vi.stubGlobal('WebSocket', Socket)
vi.stubEnv('VITE_CHANCERY_SOCKET', house.origin.replace('http', 'ws'))
afterAll(() => {
  restore()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  close()
})
afterEach(() => vi.restoreAllMocks())

const prepared = async (ids: string[]) =>
  (await rita.call(calls.prepare, { action, selection: { selectAll: false, inclusionList: ids, exclusionList: [] } })).runId
const factOf = (label: string) => screen.getAllByText(label).find(({ tagName }) => tagName === 'DT')?.nextElementSibling?.textContent
const openRun = (runId: string): Shown => showScreen(<BulkRun />, { at: `/monitor/bulk/${runId}`, path: screens.run.path })

test('Rows that are ticked in the inventory lead to a page that says what revoking them means, and asks for their number', async () => {
  await manyCertificates(house, pki, { count: 3, name: 'ticked' })
  const { user, router } = showScreen(<CertificateList />, {
    at: '/search/certificate?sort=name&direction=asc',
    path: '/search/certificate',
    routes: [{ path: screens.run.path, element: <BulkRun /> }],
  })
  await user.click(await screen.findByRole('checkbox', { name: 'Select ticked-1' }))
  await user.keyboard('{Shift>}')
  await user.click(screen.getByRole('checkbox', { name: 'Select ticked-3' }))
  await user.keyboard('{/Shift}')
  await user.click(screen.getByRole('button', { name: 'Revoke certificates' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Revoke 3 certificates' })).toBeDefined()
  expect(router.state.location.pathname).toMatch(/^\/monitor\/bulk\/[0-9a-f-]{36}$/)
  expect(screen.getByText('3 people and devices lose a valid certificate.')).toBeDefined()
  expect((await screen.findAllByText('Not begun')).length).toBeGreaterThan(2)
  await expectAccessible()
  await user.click(screen.getByRole('radio', { name: /^Superseded/ }))
  await user.fill(screen.getByRole('textbox', { name: /^Note/ }), 'Ticket 4711')
  await user.type(screen.getByRole('textbox', { name: /Type 3 to go on/ }), '4')
  await user.click(screen.getByRole('button', { name: 'Revoke 3 certificates' }))
  expect(await screen.findByText('Type 3')).toBeDefined()
  await user.clear(screen.getByRole('textbox', { name: /Type 3 to go on/ }))
  await user.type(screen.getByRole('textbox', { name: /Type 3 to go on/ }), '3')
  await user.click(screen.getByRole('button', { name: 'Revoke 3 certificates' }))
  expect(await screen.findByText('0 of 3 done, 0 failed')).toBeDefined()
  await house.runJob(bulk.jobs.work)
  expect(await screen.findByText('3 revoked')).toBeDefined()
  // What was chosen stands there for whoever reads it later.
  for (const [label, value] of [
    ['Reason', 'Superseded'],
    ['Note', 'Ticket 4711'],
  ] as const)
    expect(factOf(label)).toBe(value)
  expect((await rita.call(certificates.calls.search, { status: ['revoked'] })).total).toBe(3)
  await waitFor(() => expect(screen.getAllByRole('link', { name: /^ticked-/ })).toHaveLength(3))
  await expectAccessible()
})

test('A run that is opened by its address shows how it went, the failed rows with their reasons, and takes them up again', async () => {
  const ids = await manyCertificates(house, pki, { count: 4, name: 'partly' })
  const first = await prepared(ids.slice(0, 1))
  const runId = await prepared(ids)
  for (const [one, count] of [
    [first, 1],
    [runId, 4],
  ] as const)
    await rita.call(calls.start, { runId: one, count, parameters: { reason: 'superseded' } })
  await house.runJob(bulk.jobs.work)
  const { user, router } = openRun(runId)
  expect(await screen.findByText('3 revoked, 1 failed')).toBeDefined()
  expect(await screen.findByText('This certificate is revoked already')).toBeDefined()
  expect(screen.getByText('1 row failed')).toBeDefined()
  expect(screen.getByText('Done, some failed')).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Try these again' }))
  await waitFor(() => expect(router.state.location.pathname).not.toContain(runId))
  expect(await screen.findByRole('heading', { level: 1, name: 'Revoke 1 certificate' })).toBeDefined()
  expect(screen.getByText('1 is revoked already and fails, unless the reason is key compromise.')).toBeDefined()
  await rita.call(calls.start, {
    runId: router.state.location.pathname.split('/').at(-1) ?? '',
    count: 1,
    parameters: { reason: 'superseded' },
  })
  await house.runJob(bulk.jobs.work)
  expect(await screen.findByText('All failed')).toBeDefined()
})

test('Work that goes on can be stopped, and says that what is done stays done', async () => {
  const runId = await prepared(await manyCertificates(house, pki, { count: 2, name: 'stopped' }))
  await rita.call(calls.start, { runId, count: 2, parameters: { reason: 'superseded' } })
  const { user } = openRun(runId)
  await user.click(await screen.findByRole('button', { name: 'Stop the work' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Stop the work' }))
  expect(await screen.findByText('Nothing was done')).toBeDefined()
  expect(screen.getByText('Stopped by')).toBeDefined()
})

test('A row whose deed others must agree to is not called done: it says that it was requested, and leads to the request', async () => {
  const runId = await prepared([
    ...(await manyCertificates(house, pki, { count: 2, name: 'asked' }, { revocation_approvers: 1 })),
    ...(await manyCertificates(house, pki, { count: 1, name: 'unasked' })),
  ])
  await rita.call(calls.start, { runId, count: 3, parameters: { reason: 'superseded' } })
  await house.runJob(bulk.jobs.work)
  openRun(runId)
  expect(await screen.findByText('Done, some requested')).toBeDefined()
  expect(factOf('Wait for others')).toBe('2')
  const links = await screen.findAllByRole('link', { name: 'Waits for others' })
  const waiting = (await rita.call(revocation.calls.search, { states: ['pending'] })).rows.map(
    ({ certificateId }) => `/credentials/certificates/revocations/viewPending/${certificateId}`,
  )
  expect(links.map((link) => link.getAttribute('href')).toSorted()).toEqual(waiting.toSorted())
  expect(screen.getByRole('link', { name: 'asked-1' }).closest('tr')?.textContent).toContain('Requested')
  expect(screen.getByRole('link', { name: 'unasked-1' }).closest('tr')?.textContent).toContain('Done')
  await expectAccessible()
})

test('Bulk work is listed with its state, and says what it is for where there is none', async () => {
  showScreen(<BulkRuns />, { at: screens.runs.path })
  expect((await screen.findAllByRole('link', { name: 'Revoke certificates' })).length).toBeGreaterThan(2)
  expect(screen.getAllByText('Done, some failed').length).toBeGreaterThan(0)
  await expectAccessible()
})

test('A run of nobody’s says so', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  openRun('018f0000-0000-7000-8000-000000000001')
  expect(await screen.findByText('This does not exist, or not for you')).toBeDefined()
})
