import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, expect, test } from 'vitest'
import { queryClient } from '#core/console/query-client.ts'
import { showScreen } from '#core/console/testing/render.tsx'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { revocation } from '../contract.ts'
import { openRevocations } from '../server/revocation.fixture.ts'
import { ReleaseAction } from './ReleaseAction.tsx'

const { house, ada, authority, issue, close } = await openRevocations()
const restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
afterAll(async () => {
  restore()
  await close()
})

test('A release makes old what the same page says of the renewal', async () => {
  const leaf = await issue(await authority())
  await ada.call(revocation.calls.revoke, { certId: leaf.id, reason: 'certificateHold' })
  const { user } = showScreen(<ReleaseAction certificate={{ certificateId: leaf.id, caId: leaf.caId, serialNumber: leaf.serial, status: 'onHold', revocationReason: 'certificateHold' }} />, { path: '/', at: '/' })
  queryClient.setQueryData(['renewal', 'said'], 'It has been on hold, and is not renewed: release it first.')
  await user.click(await screen.findByRole('button', { name: 'Release from hold' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Release from hold' }))
  await waitFor(() => expect(queryClient.getQueryState(['renewal', 'said'])?.isInvalidated).toBe(true))
  expect((await ada.call(revocation.calls.status, { certId: leaf.id })).revocation?.state).toBe('released')
})
