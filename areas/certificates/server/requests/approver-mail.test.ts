import { afterAll, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const hour = 3_600_000

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

// At the beginning of an hour, so that none begins while a test runs.
house.clock.advance(hour - (house.clock.now().getTime() % hour))

const requestOf = (name: string) => ({
  csr: tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr,
  values: {},
})
const ask = async (name: string) =>
  (await pki.ada.call(calls.requestForDevice, { ...requestOf(name), templateId: pki.template['TLSServer'] ?? '' })).requestId
/** How many mails told Bob of it. */
const told = async (subject: RegExp) =>
  (await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200 })).rows.filter(
    (row) => row.to.startsWith(pki.bob.username) && subject.test(row.subject),
  ).length

test('One who edits a request over and over sends approvers one mail an hour, and each edit stands in their list', async () => {
  const requestId = await ask('first.flood.example.org')
  expect(await told(/flood/)).toBe(1)
  for (const name of ['second', 'third', 'fourth']) await pki.ada.call(calls.edit, { requestId, ...requestOf(`${name}.flood.example.org`) })
  expect(await told(/flood/)).toBe(1)
  expect((await pki.bob.call(calls.searchApprovals, { waitingForMe: true })).rows).toMatchObject([
    { requestId, subject: 'CN=fourth.flood.example.org', round: 4 },
  ])
  house.clock.advance(hour)
  for (const name of ['fifth', 'sixth']) await pki.ada.call(calls.edit, { requestId, ...requestOf(`${name}.flood.example.org`) })
  expect([await told(/fifth.flood/), await told(/sixth.flood/)]).toEqual([1, 0])
})

test('One who asks, withdraws and asks again sends twenty mails an hour, and no more', async () => {
  house.clock.advance(hour)
  for (let at = 0; at < 22; at += 1) await pki.ada.call(calls.withdraw, { requestId: await ask(`host${at}.again.example.org`) })
  expect(await told(/again/)).toBe(20)
  house.clock.advance(hour)
  await ask('later.again.example.org')
  expect(await told(/later.again/)).toBe(1)
})
