// Jobs that ask other machines, with one tenancy whose counterparts take every request and answer none: the others have their turns meanwhile, the run ends,
// and the tenancy has no second turn until its own is over. The one way out is stood in for, so that no job can ask past it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { devices } from '#areas/devices/contract.ts'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { discovery } from '#areas/discovery/contract.ts'
import { domains } from '#areas/domains/contract.ts'
import { fidosync } from '#areas/fidosync/contract.ts'
import { ordering } from '#areas/ordering/contract.ts'
import { examples as orderingExamples } from '#areas/ordering/examples.fixture.ts'
import { ordersIdle } from '#areas/ordering/server/running.ts'
import { jobName, type Job } from '#core/contract/contract.ts'
import { countAside } from '#core/server/job-aside.ts'
import { takeTurns } from '#core/server/job-turns.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { withTurn } from '#core/server/turn-signal.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { until } from '#core/testing/until.ts'

const hour = 3_600_000
let house: TestHouse
let hanging: TestPerson
let others: TestPerson[]
/** The tenancies that asked, in their order. */
const asked: string[] = []
let answer: () => void
let answered: Promise<void>

type Asking = { tenantId?: string | undefined; signal?: AbortSignal | undefined }

/** Never answers the one tenancy, and refuses the others at once. */
async function stand({ tenantId = '', signal: wanted }: Asking): Promise<never> {
  asked.push(tenantId)
  const signal = withTurn(wanted)
  if (tenantId === hanging.tenantId)
    await Promise.race([answered, new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))])
  throw new OutwardError('unanswered', { host: 'there' })
}

const address = 'https://93.184.215.14'
/** What each job goes by. */
async function prepare(administrator: TestPerson): Promise<void> {
  await orderingExamples.order(administrator)
  await administrator.call(directories.calls.add, {
    name: 'Staff',
    kind: 'ldap',
    host: '93.184.215.14',
    port: 636,
    security: 'ldaps',
    bindDn: 'cn=reader,dc=example',
    password: 'not a secret',
    baseDn: 'dc=example',
    filter: defaultFilter.ldap,
    mapping: defaultMapping.ldap,
    nightly: true,
  })
  await administrator.call(devices.calls.addSource, { name: 'Phones', url: address, deviceType: 'Mobile', token: 'a token' })
  await administrator.call(domains.calls.add, { name: `${administrator.tenantId.slice(0, 8)}.example.org` })
  const place = { loginUrl: address, graphUrl: address, directoryId: 'contoso', clientId: 'chancery' }
  await administrator.call(fidosync.calls.setProvider, { ...place, enabled: true, secret: 'a secret' })
  const cluster = { kind: 'kubernetes', name: 'Cluster', url: `${address}:6443`, everyHours: 1, secret: 'a token' } as const
  await administrator.call(discovery.calls.addProvider, cluster)
}

beforeAll(async () => {
  house = await openTestHouse()
  const all = []
  for (const name of ['Acme', 'Globex', 'Initech']) all.push((await house.tenancy(name)).administrator)
  // The last comes after the one that hangs, wherever a run begins.
  const [first, second, third] = all
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are too few tenancies')
  ;[hanging, others] = [second, [first, third]]
  answered = Promise.resolve()
  Object.assign(house.house.outward, { request: stand, connect: stand, query: stand, refusal: async () => undefined })
  for (const administrator of all) await prepare(administrator)
  // An order is driven in the background of the call that began it.
  for (const { tenantId } of all) await ordersIdle(house.house, tenantId)
})
afterAll(() => house.close())

beforeEach(() => {
  answered = new Promise((resolve) => (answer = resolve))
  // All is due again, and what was claimed is free.
  house.clock.advance(26 * hour)
  asked.length = 0
})
afterEach(async () => {
  answer()
  await ordersIdle(house.house, hanging.tenantId)
  await until('the end of what went aside', () => countAside(house.house) === 0)
})

const run = async (job: Job) => {
  const binding = house.house.jobs.find((one) => one.job === job)
  if (binding === undefined || 'inHouse' in binding) throw new Error('There is no such job')
  const takeTurn = 'inTenancy' in binding ? binding.inTenancy : binding.perRun(house.house)
  return takeTurns(house.house, binding, takeTurn, { startAfter: undefined, began: async () => {} }, { patience: 300 })
}

describe('Where one tenancy has no answer from anywhere', () => {
  const jobs = [
    ordering.jobs.goOn,
    directories.jobs.nightly,
    devices.jobs.sync,
    domains.jobs.recheck,
    fidosync.jobs.sync,
    discovery.jobs.providers,
  ]

  test.each(jobs.map((job) => ({ name: jobName(job), job })))('the job $name asks for the others meanwhile, and ends', async ({ job }) => {
    const taken = await run(job)
    expect(taken).toMatchObject({ tenancies: 3, timeIsUp: false })
    // On a busy machine the others have gone aside as well: they ask all the same.
    for (const { tenantId } of [hanging, ...others]) await expect.poll(() => asked).toContain(tenantId)
    // Still at its first turn, and alone.
    await expect.poll(() => countAside(house.house)).toBe(1)
    const before = asked.filter((tenantId) => tenantId === hanging.tenantId).length
    house.clock.advance(26 * hour)
    asked.splice(0, asked.length, ...asked.filter((tenantId) => tenantId === hanging.tenantId))
    await run(job)
    for (const { tenantId } of others) await expect.poll(() => asked).toContain(tenantId)
    expect(asked.filter((tenantId) => tenantId === hanging.tenantId)).toHaveLength(before)
  })
})
