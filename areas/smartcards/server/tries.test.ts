// Tries of PINs and PUKs that come at the same moment.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '#core/testing/house.ts'
import { smartcards } from '../contract.ts'
import { inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards

test('wrong PINs at the same moment cost a try each, and three of them block that card and no other', async () => {
  const [blocked, other] = [newCard(), newCard()]
  const otherCard = await at.register(other)
  await at.issue()
  const blockedCard = await at.register(blocked)
  await at.issue()
  const wrong = () => refusal(at.desk.call(calls.checkPin, { card_id: inReader, pin: '357924' }))
  const answers = await Promise.all([wrong(), wrong()])
  expect(answers.map(({ code }) => code)).toEqual(['wrongPin', 'wrongPin'])
  const left = () => at.desk.call(calls.pinTries, { card_id: inReader })
  expect([await left(), await left()]).toEqual([{ left: 1 }, { left: 1 }])
  expect([blocked.state.pin.left, blocked.state.puk.left]).toEqual([1, 3])
  expect((await Promise.all([wrong(), wrong()])).map(({ code }) => code)).toEqual(['pinBlocked', 'pinBlocked'])
  expect(await left()).toEqual({ left: 0 })
  expect([blocked.state.pin.left, blocked.state.puk.left]).toEqual([0, 3])
  expect([other.state.pin.left, other.state.puk.left]).toEqual([3, 3])
  const listed = async () =>
    new Map((await at.desk.call(calls.search, {})).rows.map(({ serial, status, pinBlocked }) => [serial, { status, pinBlocked }]))
  expect(await listed()).toEqual(
    new Map([
      [otherCard.serial, { status: 'ISSUED', pinBlocked: false }],
      [blockedCard.serial, { status: 'ISSUED', pinBlocked: true }],
    ]),
  )
  at.client.insert(other)
  await at.desk.call(calls.checkPin, { card_id: inReader, pin: '246813' })
  // Several who unblock it at once leave the PUK as it was: none of them tries one that is wrong.
  at.client.insert(blocked)
  const unblocked = await Promise.allSettled(
    ['975318', '864297', '753186'].map(async (new_pin) => at.desk.call(calls.unblock, { card_id: inReader, new_pin })),
  )
  expect(unblocked).toContainEqual(expect.objectContaining({ status: 'fulfilled' }))
  expect([blocked.state.pin.left, blocked.state.puk.left]).toEqual([3, 3])
  expect((await listed()).get(blockedCard.serial)).toEqual({ status: 'ISSUED', pinBlocked: false })
})
