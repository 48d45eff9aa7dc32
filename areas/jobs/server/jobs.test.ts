import { beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { contract, jobName } from '#core/contract/contract.ts'
import { serve } from '#core/server/serve.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { jobs } from '../contract.ts'

const printing = contract({
  area: 'printer',
  title: 'Printer',
  jobs: { print: { title: 'Print', every: '0 0 1 1 *' }, post: { title: 'Post', every: '0 0 1 1 *' } },
})
let closedAt: string
const printer = serve(
  printing,
  {},
  {
    jobs: {
      print: { inHouse: () => Promise.reject(new Error('out of paper')) },
      post: {
        inTenancy: ({ tenantId }) => (tenantId === closedAt ? Promise.reject(new Error('the office is closed')) : Promise.resolve()),
      },
    },
  },
)

let tenant: TestPerson

const house = await useHouse({ background: true, moreRooms: [printer] })
const operator = await (await house.tenancy('Operator')).person({ permissions: ['infrastructureConfig', 'audit'] })
beforeAll(async () => {
  const acme = await house.tenancy('Acme')
  closedAt = acme.id
  tenant = await acme.person({ permissions: ['infrastructureConfig'] })
})

const sendMail = async () => (await operator.call(jobs.calls.search, { text: 'send mail' })).rows[0]

describe('The jobs', () => {
  test('are all listed, with their plan', async () => {
    const { rows, total } = await operator.call(jobs.calls.search, { size: 100 })
    expect(rows.map(({ name }) => name).toSorted()).toEqual(house.house.jobs.map(({ job }) => jobName(job)).toSorted())
    expect(total).toBe(rows.length)
    expect((await sendMail())?.every).toBe('* * * * *')
  })

  test('run when they are woken, and say how it went', async () => {
    const before = (await sendMail())?.startedAt ?? ''
    await operator.call(jobs.calls.wake, { name: 'mail.send' })
    await expect.poll(async () => (await sendMail())?.startedAt ?? '').not.toBe(before)
    await expect.poll(async () => (await sendMail())?.outcome).toBe('done')
    expect((await operator.call(audit.calls.search, { name: 'woken' })).rows.map(({ about }) => about)).toEqual(['mail.send'])
  })

  test('say what they failed of', async () => {
    await operator.call(jobs.calls.wake, { name: 'printer.print' })
    await expect
      .poll(async () => (await operator.call(jobs.calls.search, { text: 'printer.print' })).rows[0])
      .toMatchObject({ outcome: 'failed', error: 'out of paper' })
  })

  test('say in which tenancy they failed, and in how many they did not', async () => {
    await operator.call(jobs.calls.wake, { name: 'printer.post' })
    await expect
      .poll(async () => (await operator.call(jobs.calls.search, { text: 'printer.post' })).rows[0])
      .toMatchObject({ outcome: 'failed', tenancies: 2, failed: 1, error: 'Failed in 1 of 2 tenancies. Acme: the office is closed' })
  })

  test('are refused where there is none of that name', async () => {
    await expect(operator.call(jobs.calls.wake, { name: 'mail.lose' })).rejects.toMatchObject({ status: 404 })
  })

  test('are not the business of another tenancy', async () => {
    await expect(tenant.call(jobs.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'notYours' })
    await expect(tenant.call(jobs.calls.wake, { name: 'mail.send' })).rejects.toMatchObject({ status: 403, code: 'notYours' })
  })
})
