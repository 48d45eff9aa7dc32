// A certificate on hold, as its holder sees it who sees no others: it is not gone, and nowhere called so.

import { cleanup, screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { showScreen, testViewer } from '#core/console/testing/render.tsx'
import { inTenant } from '#core/server/database.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { certificates } from '../contract.ts'
import { openSharedIssuing } from '../server/issuing.fixture.ts'
import { setAllRevoked } from '../service.ts'
import { MyRequest } from './MyRequest.tsx'
import { MyRequests } from './MyRequests.tsx'
import { RecentRequests } from './RecentRequests.tsx'

const { calls, screens } = certificates
const { house, pki, close } = await openSharedIssuing()
const holder = await pki.tenancy.person({ permissions: ['selfServicePortal'] })
const restore = leadFetchTo(house.origin, { authorization: `Bearer ${holder.token}` })
const viewer = { permission: { ...testViewer.permission, View: ['selfServicePortal' as const] } }
let requestId = ''

beforeAll(async () => {
  const templateId = await pki.addTemplate('User', { issueApprovers: 0, selfServiceEligible: true })
  requestId = (await holder.call(calls.request, { entity: 'user', templateId })).requestId
  const { certificateId } = await holder.call(calls.collectKey, { requestId, password: 'correct horse' })
  await inTenant(house.house.database, pki.tenancy.id, (db) =>
    setAllRevoked(db, pki.tenancy.id, [certificateId], { reason: 'certificateHold', at: house.clock.now() }),
  )
})
afterEach(cleanup)
afterAll(() => {
  restore()
  close()
})

const expectOnHold = async (where = within(document.body)): Promise<void> => {
  expect(await where.findByText('On hold')).toBeDefined()
  expect(where.queryByText('Revoked')).toBeNull()
}

test('Its page says so beside its name', async () => {
  showScreen(<MyRequest requestId={requestId} />, { path: screens.mine.path, at: screens.mine.path, viewer })
  await screen.findByRole('heading', { level: 1 })
  await expectOnHold()
})

test('So do the list of one’s requests, and the newest of them at home', async () => {
  showScreen(<MyRequests />, { path: screens.mine.path, at: screens.mine.path, viewer })
  await expectOnHold(within(await screen.findByRole('table', { name: 'My requests' })))
  cleanup()
  showScreen(<RecentRequests />, { path: '/', at: '/', viewer })
  await expectOnHold()
})
