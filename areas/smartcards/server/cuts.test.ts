// A card that is pulled out at each of its commands, before it acted and after: the next try goes on and brings the card to its end, with the invariants of the
// issue. In `npm test` at some of the commands; CHANCERY_ALL_CUTS=1 takes each.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/house.ts'
import { cuttable } from '#standards/piv/card/faults.ts'
import { smartcards } from '../contract.ts'
import { newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards
const stride = process.env['CHANCERY_ALL_CUTS'] === '1' ? 1 : 13

/** One issue, pulled out at the command of this number. Answers how many commands there were, and whether the cut came. */
async function issueWithCut(cut: { at: number; acted: boolean } | undefined) {
  const faulty = cuttable(newCard())
  const { cardId } = await at.register(faulty.card)
  const before = faulty.count()
  if (cut !== undefined) faulty.cut(cut)
  const first = cut === undefined ? await at.issue().then(() => undefined) : await refusal(at.issue())
  const commands = faulty.count() - before
  if (first === undefined) return { wasCut: false, commands }
  faulty.putIn()
  await at.issue()
  const view = await at.desk.call(calls.view, { id: cardId })
  const { pin, puk } = faulty.card.state
  return {
    wasCut: true,
    commands,
    first: first.code,
    status: view.status,
    slots: view.slots.map(({ status }) => status),
    tries: [pin.left, puk.left],
    pin: pin.value,
    operations: view.operations.map(({ state }) => state),
  }
}

const whole = {
  wasCut: true,
  first: 'cardGone',
  status: 'ISSUED',
  slots: ['active'],
  tries: [3, 3],
  pin: '246813',
  operations: ['done'],
}

test('whenever a card is pulled out, the next try brings it to its end', { timeout: 1_200_000 }, async () => {
  const { commands } = await issueWithCut(undefined)
  const cuts = Array.from({ length: Math.ceil(commands / stride) }, (_, index) => 1 + index * stride).flatMap((number) =>
    [true, false].map((acted) => ({ at: number, acted })),
  )
  const wrong: unknown[] = []
  for (const cut of cuts) {
    const { commands: _commands, ...came } = await issueWithCut(cut)
    if (JSON.stringify(came) !== JSON.stringify(whole)) wrong.push({ cut, came })
  }
  expect(wrong).toEqual([])
  // Each card has one certificate that holds, and no other was left behind.
  const { total } = await at.desk.call(certificates.calls.search, { status: ['active'] })
  expect(total).toBe(1 + cuts.length)
})
