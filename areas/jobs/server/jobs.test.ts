import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import type { Room } from '#core/server/serve.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { jobs } from '../contract.ts'

const printer: Room = {
  area: 'printer',
  contract: { area: 'printer', title: 'Printer', screens: {}, calls: {}, streams: {}, endpoints: {}, events: {} },
  calls: [],
  streams: [],
  endpoints: [],
  subscriptions: [],
  jobs: [{ name: 'printer.print', title: 'Print', every: '0 0 1 1 *', run: () => Promise.reject(new Error('out of paper')) }],
}

let house: TestHouse
let operator: TestPerson
let tenant: TestPerson

beforeAll(async () => {
  house = await openTestHouse({ background: true, moreRooms: [printer] })
  operator = await (await house.tenancy('Operator')).person({ permissions: ['infrastructureConfig', 'audit'] })
  tenant = await (await house.tenancy('Acme')).person({ permissions: ['infrastructureConfig'] })
})
afterAll(() => house.close())

const sendMail = async () => (await operator.call(jobs.calls.search, { text: 'send mail' })).rows[0]

describe('The jobs', () => {
  test('are all listed, with their plan', async () => {
    const { rows, total } = await operator.call(jobs.calls.search, { size: 100 })
    expect(rows.map(({ name }) => name).toSorted()).toEqual(house.house.jobs.map(({ name }) => name).toSorted())
    expect(total).toBe(rows.length)
    expect((await sendMail())?.every).toBe('* * * * *')
  })

  test('run when they are woken, and say how it went', async () => {
    const before = (await sendMail())?.startedAt ?? ''
    await operator.call(jobs.calls.wake, { name: 'mail.send' })
    await expect.poll(async () => (await sendMail())?.startedAt ?? '', { timeout: 20_000 }).not.toBe(before)
    await expect.poll(async () => (await sendMail())?.outcome, { timeout: 20_000 }).toBe('done')
    expect((await operator.call(audit.calls.search, { name: 'woken' })).rows.map(({ about }) => about)).toEqual(['mail.send'])
  })

  test('say what they failed of', async () => {
    await operator.call(jobs.calls.wake, { name: 'printer.print' })
    await expect
      .poll(async () => (await operator.call(jobs.calls.search, { text: 'printer' })).rows[0], { timeout: 20_000 })
      .toMatchObject({ outcome: 'failed', error: 'out of paper' })
  })

  test('are refused where there is none of that name', async () => {
    await expect(operator.call(jobs.calls.wake, { name: 'mail.lose' })).rejects.toMatchObject({ status: 404 })
  })

  test('are not the business of another tenancy', async () => {
    await expect(tenant.call(jobs.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'notYours' })
    await expect(tenant.call(jobs.calls.wake, { name: 'mail.send' })).rejects.toMatchObject({ status: 403, code: 'notYours' })
  })
})
