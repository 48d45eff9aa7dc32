// The nodes of a cluster: certificates of the same names, each of a key of its own, and none in the place of another.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { renewal } from '../contract.ts'
import { day, openRenewalDesk, type RenewalDesk } from './renewal.fixture.ts'

const { renew } = renewal.calls
const dns = 'www.nordlicht.example'

let desk: RenewalDesk
let nodes: string[] = []

beforeAll(async () => {
  desk = await openRenewalDesk()
  const templateId = await desk.template90('Device', 'AUTOMATIC_SAME_KEY')
  for (let node = 1; node <= 4; node++) {
    nodes = [...nodes, (await desk.device(templateId, dns)).certificateId]
    desk.house.clock.advance(60_000)
  }
}, 60_000)
afterAll(() => desk.close())

test('Each is offered to be renewed early, and is renewed with its own key', async () => {
  const checked = await Promise.all(nodes.map((node) => desk.check(node)))
  expect(checked.map(({ verdict, step }) => [verdict.kind, step])).toEqual(nodes.map(() => ['later', 'early']))
  const [first = ''] = nodes
  const { certificateId = '' } = await desk.ada.call(renew, { certId: first, early: true })
  expect(await desk.publicKey(certificateId)).toBe(await desk.publicKey(first))
  expect((await desk.check(nodes[1] ?? '')).verdict.kind).toBe('later')
})

test('The others are renewed by themselves when they are due', async () => {
  desk.house.clock.advance(75 * day)
  await desk.house.runJob(renewal.jobs.run)
  const checked = await Promise.all(nodes.map((node) => desk.check(node)))
  expect(checked.map(({ verdict }) => verdict.kind)).toEqual(nodes.map(() => 'renewed'))
  expect(new Set(checked.map(({ renewedBy }) => renewedBy?.certificateId)).size).toBe(nodes.length)
})
