// A card that is pulled out at each of its commands, before it acted and after: the next try goes on and brings the card to its end, with the invariants of the
// issue. In `npm test` at some of the commands; CHANCERY_ALL_CUTS=1 takes each.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { runNow } from '#core/server/jobs.ts'
import { CallRefused, refusal } from '#core/testing/house.ts'
import { cuttable } from '#standards/piv/card/faults.ts'
import { smartcards } from '../contract.ts'
import { inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards
const isWhole = process.env['CHANCERY_ALL_CUTS'] === '1'
const stride = isWhole ? 1 : 13
/** Those of a card's later life come after an issue, which costs more than they do. */
const laterStride = isWhole ? 1 : 41

const cutsOf = (commands: number, every: number) =>
  Array.from({ length: Math.ceil(commands / every) }, (_, index) => 1 + index * every).flatMap((number) =>
    [true, false].map((acted) => ({ at: number, acted })),
  )

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
  const cuts = cutsOf(commands, stride)
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

async function reissue(): Promise<void> {
  try {
    await at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true })
  } catch (error) {
    if (!(error instanceof CallRefused) || error.code !== 'waitsForApproval') throw error
    await at.approveAll()
    await reissue()
  }
}
const unregister = () => at.desk.call(calls.unregister, { card_id: inReader }).then(() => {})

/** Takes an issued card through what comes later, pulled out at the command of this number, and then once more. */
async function laterWithCut(later: () => Promise<void>, cut: { at: number; acted: boolean } | undefined) {
  const faulty = cuttable(newCard())
  const { cardId } = await at.register(faulty.card)
  await at.issue()
  const before = faulty.count()
  if (cut !== undefined) faulty.cut(cut)
  const first = cut === undefined ? await later().then(() => undefined) : await refusal(later())
  const commands = faulty.count() - before
  faulty.putIn()
  if (first !== undefined) await later()
  const { status, slots, operations } = await at.desk.call(calls.view, { id: cardId })
  const { pin, puk, keys, objects, management } = faulty.card.state
  return {
    commands,
    came: {
      first: first?.code,
      status,
      slots: slots.map((one) => one.status),
      operations: operations.map(({ kind, state }) => `${kind} ${state}`),
      tries: [pin.left, puk.left],
      pin: pin.value,
      knownPuk: puk.value === '12345678',
      knownKey: management.isFactory,
      keys: Object.keys(keys),
      isBlank: Object.keys(objects).length === 0,
    },
  }
}

const active = async (): Promise<number> => (await at.desk.call(certificates.calls.search, { status: ['active'] })).total

/** What came out otherwise, and how many certificates hold more than before for each card. */
async function cutLater(later: () => Promise<void>, expected: Record<string, unknown>): Promise<{ wrong: unknown[]; holdsOfEach: number }> {
  const { commands } = await laterWithCut(later, undefined)
  await runNow(at.house.house, smartcards.jobs.orphans)
  const before = await active()
  const cuts = cutsOf(commands, laterStride)
  const wrong: unknown[] = []
  for (const cut of cuts) {
    // PINs are taken six times in five minutes.
    at.house.clock.advance(300_000)
    const { came } = await laterWithCut(later, cut)
    if (JSON.stringify(came) !== JSON.stringify({ first: 'cardGone', ...expected })) wrong.push({ cut, came })
  }
  await runNow(at.house.house, smartcards.jobs.orphans)
  return { wrong, holdsOfEach: ((await active()) - before) / cuts.length }
}

test('whenever a card is pulled out while it is renewed, the next try brings it to its end', { timeout: 2_400_000 }, async () => {
  const came = await cutLater(reissue, {
    status: 'ISSUED',
    slots: ['active'],
    operations: ['reissue done', 'issue done'],
    tries: [3, 3],
    pin: '246813',
    knownPuk: false,
    knownKey: false,
    keys: ['9A'],
    isBlank: false,
  })
  expect(came).toEqual({ wrong: [], holdsOfEach: 1 })
})

test('whenever a card is pulled out while it is given back, the next try leaves nothing on it', { timeout: 2_400_000 }, async () => {
  const came = await cutLater(unregister, {
    status: 'UNREGISTERED',
    slots: [],
    operations: ['unregister done', 'issue done'],
    tries: [3, 3],
    pin: '123456',
    knownPuk: true,
    knownKey: true,
    keys: [],
    isBlank: true,
  })
  expect(came).toEqual({ wrong: [], holdsOfEach: 0 })
})
