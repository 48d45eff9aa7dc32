// What a card becomes while an operation with it has stopped: its new certificates go the way of the others.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { runNow } from '#core/server/jobs.ts'
import { refusal } from '#core/testing/house.ts'
import { cuttable } from '#standards/piv/card/faults.ts'
import { smartcards } from '../contract.ts'
import { inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards
const active = async () => (await at.desk.call(certificates.calls.search, { status: ['active'] })).total

async function issued() {
  const { cardId, serial } = await at.register(newCard())
  await at.issue()
  return { cardId, serial }
}

/** Leaves a reissue whose certificate was issued, but not written to the card. */
async function stoppedReissue() {
  const card = await issued()
  const reissue = () => at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true })
  expect(await refusal(reissue())).toMatchObject({ code: 'waitsForApproval' })
  await at.approveAll()
  return card
}

test('a card that is lost while its reissue has stopped leaves no good certificate', async () => {
  const before = await active()
  const { cardId, serial } = await stoppedReissue()
  expect(await at.desk.call(calls.lost, { card_id: { serial } })).toEqual({ status: 'LOST' })
  expect(await active()).toBe(before)
  const { status, operations } = await at.desk.call(calls.view, { id: cardId })
  expect([status, operations[0]?.state]).toEqual(['LOST', 'abandoned'])
  at.house.clock.advance(25 * 3_600_000)
  await runNow(at.house.house, smartcards.jobs.orphans)
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('LOST')
  expect(await refusal(at.desk.call(calls.revoke, { card_id: { serial } }))).toMatchObject({ code: 'wrongStatus' })
})

test('a card that comes back from suspension with some of its keys replaced is of unknown status, and can be lost', async () => {
  const { serial } = await stoppedReissue()
  await at.desk.call(calls.suspend, { card_id: { serial }, reason: 'Away' })
  expect(await at.desk.call(calls.resume, { card_id: { serial } })).toEqual({ status: 'UNKNOWN' })
  expect(await at.desk.call(calls.lost, { card_id: { serial } })).toEqual({ status: 'LOST' })
})

test('a request that is granted after its card was lost becomes no certificate that stays good', async () => {
  const before = await active()
  const { serial } = await issued()
  expect(await refusal(at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true }))).toMatchObject({
    code: 'waitsForApproval',
  })
  await at.desk.call(calls.lost, { card_id: { serial } })
  await runNow(at.house.house, smartcards.jobs.orphans)
  await at.approveAll()
  await runNow(at.house.house, smartcards.jobs.orphans)
  expect(await active()).toBe(before)
})

test('a temporary card is issued for the days of the last try, not of one that stopped', async () => {
  const { cardId: oldId } = await issued()
  const { cardId } = await at.register(newCard())
  const issue = (validity_duration: number) =>
    at.desk.call(calls.issueTemporary, {
      card_request: { card_id: inReader, cardTemplateId: at.cardTemplateId, new_pin: '246813', validity_duration },
      old_card_id: oldId,
    })
  for (const days of [300, 1]) {
    expect(await refusal(issue(days))).toMatchObject({ code: 'waitsForApproval' })
    await at.approveAll()
  }
  const latest = at.house.clock.now().getTime() + 2 * 86_400_000
  await issue(1)
  const { expires = '', operations } = await at.desk.call(calls.view, { id: cardId })
  expect(Date.parse(expires)).toBeLessThanOrEqual(latest)
  expect(operations.map(({ state }) => state)).toEqual(['done', 'abandoned'])
})

test('a temporary card of unknown status ends with its time', async () => {
  const { cardId: oldId } = await issued()
  const { cardId } = await at.register(newCard())
  const issue = () =>
    at.desk.call(calls.issueTemporary, {
      card_request: { card_id: inReader, cardTemplateId: at.cardTemplateId, new_pin: '246813', validity_duration: 3 },
      old_card_id: oldId,
    })
  await refusal(issue())
  await at.approveAll()
  await issue()
  await refusal(at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true }))
  at.house.clock.advance(25 * 3_600_000)
  await runNow(at.house.house, smartcards.jobs.orphans)
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('UNKNOWN')
  at.house.clock.advance(3 * 24 * 3_600_000)
  await runNow(at.house.house, smartcards.jobs.over)
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('REVOKED')
})

test('a card of unknown status whose certificates may be good goes to nobody else', async () => {
  const { serial } = await stoppedReissue()
  await at.desk.call(calls.suspend, { card_id: { serial }, reason: 'Away' })
  expect(await at.desk.call(calls.resume, { card_id: { serial } })).toEqual({ status: 'UNKNOWN' })
  const other = await at.pki.tenancy.person({ permissions: [] })
  const assigned = { card_id: { serial }, user_id: other.id, card_template_id: at.cardTemplateId }
  expect(await refusal(at.desk.call(calls.assign, assigned))).toMatchObject({ code: 'wrongStatus' })
  expect(await refusal(at.tryIssue({ user_ids: [other.id] }))).toMatchObject({ code: 'notIssuable' })
  await at.desk.call(calls.revoke, { card_id: { serial } })
  await at.desk.call(calls.assign, assigned)
})

test('a card whose return stopped in the middle is of unknown status until it is returned', async () => {
  const faulty = cuttable(newCard())
  const { cardId } = await at.register(faulty.card)
  await at.issue()
  // The first write of the return; reading and the proof of the management key come before it.
  faulty.cut({ at: 12, acted: true })
  expect(await refusal(at.desk.call(calls.unregister, { card_id: inReader }))).toMatchObject({ code: 'cardGone' })
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('UNKNOWN')
  faulty.putIn()
  expect(await at.desk.call(calls.unregister, { card_id: inReader })).toEqual({ status: 'UNREGISTERED' })
})

test('a program is asked to agree before keys in use go for certificates that nobody has agreed to', async () => {
  await issued()
  const said = await refusal(at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813' }))
  expect(said).toMatchObject({ code: 'replacesNow', message: expect.stringContaining('9A') as string })
  expect(await refusal(at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true }))).toMatchObject({
    code: 'waitsForApproval',
  })
})
