// Both sides of a licence hear of its end beforehand, each notice once.

import { afterAll, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { audited } from '#core/testing/events.ts'
import { noonOfYesterday, openTestHouse, type TestTenancy } from '#core/testing/house.ts'
import { licensing } from '../contract.ts'

const { calls } = licensing
const day = 86_400_000

const house = await openTestHouse({ now: noonOfYesterday() })
afterAll(() => house.close())
const head = await house.tenancy('Head office')
const branch = await house.tenancy('Branch')
const owner = await head.person({ permissions: 'all' })
const { caId } = await owner.call(authorities.calls.create, {
  kind: 'root',
  friendlyName: 'Group Root',
  subject: { CN: 'Group Root' },
  keyAlgorithm: 'P-256',
})
const { templateId } = await owner.call(templates.calls.add, {
  templateName: 'Shop',
  caId,
  class: 'DEVICE',
  extensions: { certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }], extendedUsages: ['serverAuth'] },
  rules: { keys: ['P-256'] },
})

const dayIn = (days: number): string => new Date(house.clock.now().getTime() + days * day).toISOString().slice(0, 10)
const asRead = (given: string): string => new Date(given).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const later = (days: number): void => house.clock.advance(days * day)
const run = () => house.runJob(licensing.jobs.ends)
const licenseAuthority = (until: string, enabled = true) =>
  owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled, until })
const licenseTemplate = (until: string) => owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId, enabled: true, until })

/** What the administrator of a tenancy was written since the last look. */
const read = new Set<string>()
async function messages({ administrator }: TestTenancy): Promise<{ subject: string; text: string }[]> {
  const { rows } = await administrator.call(mail.calls.outbox, { size: 200 })
  const fresh = rows.filter(({ id, kind, to }) => kind === 'licenceEnding' && to.startsWith(administrator.username) && !read.has(id))
  return Promise.all(fresh.map(async ({ id }) => (read.add(id), administrator.call(mail.calls.read, { id }))))
}
const subjects = async (): Promise<string[][]> =>
  Promise.all([head, branch].map(async (tenancy) => (await messages(tenancy)).map(({ subject }) => subject)))

test('30, 7 and 1 days before the end of an authority’s licence the administrators of both tenancies are told, once each', async () => {
  await licenseAuthority(dayIn(40))
  await run()
  expect(await subjects()).toEqual([[], []])
  later(10)
  await run()
  const [toOwner] = await messages(head)
  const [toLicensee] = await messages(branch)
  expect(toOwner).toMatchObject({
    subject: 'Licence ends in 30 days: the authority Group Root',
    text: expect.stringContaining('This is about a licence that Branch has from you.') as string,
  })
  expect(toLicensee?.text).toContain(
    `that you have from Head office.\n\nThe licence for the authority Group Root ends in 30 days, and with it those for its templates: its last day is ${asRead(dayIn(30))}.`,
  )
  expect([
    toOwner?.text.includes('/config/certificateservices/licensing'),
    toLicensee?.text.includes('/config/certificateservices/templates'),
  ]).toEqual([true, true])
  await run()
  later(1)
  await run()
  expect(await subjects()).toEqual([[], []])
  later(22)
  await run()
  expect(await subjects()).toEqual(Array.from({ length: 2 }, () => ['Licence ends in 7 days: the authority Group Root']))
  later(6)
  await run()
  expect(await subjects()).toEqual(Array.from({ length: 2 }, () => ['Licence ends tomorrow: the authority Group Root']))
  for (let at = 0; at < 3; at += 1) {
    later(1)
    await run()
  }
  expect(await subjects()).toEqual([[], []])
  for (const { id } of [head, branch])
    expect(
      (await audited(house, id))
        .filter(({ area, name }) => area === 'licensing' && name === 'endNoticed')
        .map(({ body }) => Number(JSON.parse(body).days)),
    ).toEqual([30, 7, 1])
})

test('A licence that gets a later end is told of anew; one that is switched off is not', async () => {
  await licenseAuthority(dayIn(5))
  await run()
  expect(await subjects()).toEqual(Array.from({ length: 2 }, () => ['Licence ends in 5 days: the authority Group Root']))
  await licenseAuthority(dayIn(6))
  await run()
  expect(await subjects()).toEqual(Array.from({ length: 2 }, () => ['Licence ends in 6 days: the authority Group Root']))
  await licenseAuthority(dayIn(1), false)
  await run()
  expect(await subjects()).toEqual([[], []])
})

test('What ends together stands in one letter, and a template says nothing that its authority says', async () => {
  await licenseAuthority(dayIn(20))
  await licenseTemplate(dayIn(6))
  await run()
  const [message, ...more] = await messages(branch)
  expect([message?.subject, more]).toEqual(['2 licences end, the first in 6 days', []])
  expect(message?.text).toContain(`The licence for the template Shop ends in 6 days: its last day is ${asRead(dayIn(6))}.`)
  expect((await messages(head)).length).toBe(1)
  await licenseTemplate(dayIn(30))
  await run()
  expect(await subjects()).toEqual([[], []])
})
