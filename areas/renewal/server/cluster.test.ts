// The nodes of a cluster: certificates of the same names, each of a key of its own, and none in the place of another.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { renew } = renewal.calls
const dns = 'www.nordlicht.example'

let pki: RenewalFixture
let nodes: string[] = []

beforeAll(async () => {
  pki = await openRenewalFixture()
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  for (let node = 1; node <= 4; node++) {
    nodes = [...nodes, (await pki.device(templateId, dns)).certificateId]
    pki.house.clock.advance(60_000)
  }
})
afterAll(() => pki.close())

test('Each is offered to be renewed early, and is renewed with its own key', async () => {
  const checked = await Promise.all(nodes.map((node) => pki.check(node)))
  expect(checked.map(({ verdict, step }) => [verdict.kind, step])).toEqual(nodes.map(() => ['later', 'early']))
  const [first = ''] = nodes
  const { certificateId = '' } = await pki.ada.call(renew, { certId: first, early: true })
  expect(await pki.publicKey(certificateId)).toBe(await pki.publicKey(first))
  expect((await pki.check(nodes[1] ?? '')).verdict.kind).toBe('later')
})

test('The others are renewed by themselves when they are due', async () => {
  pki.house.clock.advance(75 * day)
  await pki.house.runJob(renewal.jobs.run)
  const checked = await Promise.all(nodes.map((node) => pki.check(node)))
  expect(checked.map(({ verdict }) => verdict.kind)).toEqual(nodes.map(() => 'renewed'))
  expect(new Set(checked.map(({ renewedBy }) => renewedBy?.certificateId)).size).toBe(nodes.length)
})
