import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { queryClient } from '#core/console/query-client.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { toastStore } from '#core/console/toasts.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { revocation } from '../contract.ts'
import { openRevocations, type Leaf } from '../server/revocation.fixture.ts'
import { HoldAction } from './HoldAction.tsx'
import { RevokeAction } from './RevokeAction.tsx'

const { house, acme, ada, grace, authority, issue, close } = await openRevocations()
let restore = () => {}
const as = ({ token }: TestPerson): void => {
  restore()
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${token}` })
}
beforeEach(() => as(ada))
afterAll(async () => {
  restore()
  await close()
})

const { calls } = revocation
const stateOf = async (leaf: Leaf) => (await ada.call(calls.status, { certId: leaf.id })).revocation

async function openActions(leaf: Leaf) {
  const { status, revocationReason } = (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate
  const certificate = { certificateId: leaf.id, caId: leaf.caId, serialNumber: leaf.serial, status, revocationReason }
  return showScreen(
    <>
      <HoldAction certificate={certificate} />
      <RevokeAction certificate={certificate} />
    </>,
    { path: '/', at: '/' },
  )
}
const inDialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('A certificate is put on hold by a button of its own, which says what will happen and takes a note', async () => {
  const leaf = await issue(await authority())
  const { user } = await openActions(leaf)
  expect(await screen.findByRole('link', { name: 'Revoke certificate' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Put on hold' }))
  const dialog = await inDialog('Put this certificate on hold?')
  expect(dialog.getByText(/by OCSP from now on, by the revocation list with the next one/)).toBeDefined()
  expect(dialog.getByText(/It can be released again/)).toBeDefined()
  await expectAccessible()
  await user.click(dialog.getByRole('button', { name: 'Keep certificate' }))
  expect(await stateOf(leaf)).toBeUndefined()
  await user.click(screen.getByRole('button', { name: 'Put on hold' }))
  const again = await inDialog('Put this certificate on hold?')
  await user.fill(again.getByRole('textbox', { name: 'Note' }), 'Laptop mislaid')
  await user.click(again.getByRole('button', { name: 'Put on hold' }))
  await waitFor(async () =>
    expect(await stateOf(leaf)).toMatchObject({ state: 'revoked', reason: 'certificateHold', note: 'Laptop mislaid' }),
  )
  await waitFor(() => expect(toastStore.getState().shown).toMatchObject([{ title: 'Certificate put on hold' }]))
})

test('A hold that others must agree to is asked for', async () => {
  const leaf = await issue(await authority('P-256', { revocationApprovers: 1 }))
  const { user } = await openActions(leaf)
  await user.click(await screen.findByRole('button', { name: 'Put on hold' }))
  const dialog = await inDialog('Put this certificate on hold?')
  expect(dialog.getByText(/One other person must agree/)).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Request hold' }))
  await waitFor(async () => expect(await stateOf(leaf)).toMatchObject({ state: 'pending', reason: 'certificateHold' }))
})

test('A release takes a note, and makes old what the same page says of the renewal', async () => {
  const leaf = await issue(await authority())
  await ada.call(calls.revoke, { certId: leaf.id, reason: 'certificateHold' })
  const { user } = await openActions(leaf)
  queryClient.setQueryData(['renewal', 'said'], 'It has been on hold, and is not renewed until it is released.')
  await user.click(await screen.findByRole('button', { name: 'Release from hold' }))
  const dialog = await inDialog('Release this certificate from hold?')
  await user.fill(dialog.getByRole('textbox', { name: 'Note' }), 'Found it')
  await user.click(dialog.getByRole('button', { name: 'Release from hold' }))
  await waitFor(() => expect(queryClient.getQueryState(['renewal', 'said'])?.isInvalidated).toBe(true))
  expect(await stateOf(leaf)).toMatchObject({ state: 'released', note: 'Found it' })
})

test('Neither is offered to who may not, and a release not to the person against whom the hold was put on', async () => {
  const leaf = await issue(await authority())
  as(await acme.person({ permissions: ['certView'] }))
  const seen = await openActions(leaf)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  expect(screen.queryByRole('button', { name: 'Put on hold' })).toBeNull()
  expect(screen.queryByRole('link', { name: 'Revoke certificate' })).toBeNull()
  seen.unmount()
  await grace.call(calls.revoke, { certId: leaf.id, reason: 'certificateHold' })
  as(ada)
  await openActions(leaf)
  expect(await screen.findByRole('link', { name: 'Revoke certificate' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Release from hold' })).toBeNull()
})
