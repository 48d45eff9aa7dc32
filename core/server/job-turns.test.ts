// Whose turn it is in a job that works in each tenancy.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contract, jobName } from '#core/contract/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { countAside, readGoing } from './job-aside.ts'
import { takeTurns, type TurnLimits } from './job-turns.ts'
import { serve, type TakeTurn } from './serve.ts'
import { allTenancies } from './tenancies.ts'
import { withTurn } from './turn-signal.ts'

const rounds = contract({ area: 'rounds', title: 'Rounds', jobs: { go: { title: 'Go round', every: '0 0 1 1 *' } } })
const turns: string[] = []
let turn: TakeTurn = async () => {}
const room = serve(
  rounds,
  {},
  {
    jobs: {
      go: {
        inTenancy(one) {
          turns.push(one.tenantId)
          return turn(one)
        },
      },
    },
  },
)

let ids: string[]

const house = await useHouse({ moreRooms: [room] })
beforeAll(async () => {
  for (const name of ['Acme', 'Globex', 'Initech']) await house.tenancy(name)
  ids = (await allTenancies(house.house)).map(({ id }) => id)
})
beforeEach(() => {
  turns.length = 0
  turn = async () => {}
})

const places = () => turns.map((id) => ids.indexOf(id))

test('each run begins with another tenancy, so that none is always last', async () => {
  for (let run = 0; run < 4; run += 1) await house.runJob(rounds.jobs.go)
  expect(places()).toEqual([0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2])
})

test('who needs more turns has them after the others, and one that failed has none', async () => {
  const left = new Map([[ids[0], 2]])
  turn = async ({ tenantId }) => {
    if (tenantId === ids[1]) throw new Error('closed')
    const more = left.get(tenantId) ?? 0
    left.set(tenantId, more - 1)
    return more > 0 ? 'more' : undefined
  }
  await expect(house.runJob(rounds.jobs.go)).rejects.toThrow('Failed in 1 of 3 tenancies. Globex: closed')
  expect(turns.filter((id) => id === ids[0])).toHaveLength(3)
  expect(turns.filter((id) => id !== ids[0]).toSorted()).toEqual([ids[1], ids[2]].toSorted())
  expect(turns.slice(3)).toEqual([ids[0], ids[0]])
})

test('where the time is up, the next run goes on behind the last', async () => {
  const binding = house.house.jobs.find(({ job }) => job === rounds.jobs.go)
  if (binding === undefined) throw new Error('There is no such job')
  const began: string[] = []
  const take: TakeTurn = async ({ tenantId }) => void turns.push(tenantId)
  const options = { startAfter: ids[0], began: async (first: string) => void began.push(first) }
  const taken = await takeTurns(house.house, binding, take, options, { longest: -1 })
  expect(taken).toMatchObject({ timeIsUp: true, startAfter: ids[1], failures: [] })
  expect([places(), began]).toEqual([[1], [ids[1]]])
})

describe('A turn that does not end', () => {
  const hanging = () => house.house.jobs.find(({ job }) => job === rounds.jobs.go) ?? { job: rounds.jobs.go, inTenancy: turn }
  const go = (limits: TurnLimits = { patience: 0 }) =>
    takeTurns(
      house.house,
      hanging(),
      async (one) => (turns.push(one.tenantId), turn(one)),
      { startAfter: undefined, began: async () => {} },
      limits,
    )

  test('goes on aside: the others have theirs, it has no second one, and what it fails of is told by the next run', async () => {
    let fail: (error: Error) => void = () => {}
    turn = ({ tenantId }) => (tenantId === ids[0] ? new Promise<void>((_, reject) => (fail = reject)) : Promise.resolve())
    expect(await go({ patience: 50 })).toMatchObject({ failures: [], timeIsUp: false })
    expect(turns).toContain(ids[0])
    turns.length = 0
    await go({ patience: 50 })
    expect(turns).not.toContain(ids[0])
    fail(new Error('no answer'))
    await expect.poll(() => countAside(house.house)).toBe(0)
    turns.length = 0
    turn = async () => {}
    const { failures } = await go()
    expect(failures.map(({ tenancy, error }) => [tenancy.id, String(error)])).toEqual([[ids[0], 'Error: no answer']])
    // It comes after those who were quick.
    expect(turns.at(-1)).toBe(ids[0])
    await expect.poll(() => countAside(house.house)).toBe(0)
  })

  test('ends what it asks of other machines when its time is over', async () => {
    turn = async ({ tenantId }) => {
      if (tenantId !== ids[0]) return
      const signal = withTurn(undefined)
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
    }
    await go({ patience: 0, turn: 20 })
    await expect.poll(() => countAside(house.house)).toBe(0)
    turn = async () => {}
    expect((await go()).failures.map(({ error }) => String(error))).toEqual(['TimeoutError: The turn of the job took too long'])
    await expect.poll(() => countAside(house.house)).toBe(0)
  })

  test('is known to another server, which gives its tenancy none', async () => {
    let end: () => void = () => {}
    turn = ({ tenantId }) => (tenantId === ids[0] ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve())
    await go({ patience: 50 })
    const { held } = house.house
    const other = { ...house.house, held }
    const isGoing = await readGoing(other, jobName(rounds.jobs.go))
    expect(ids.map(isGoing)).toEqual([true, false, false])
    end()
    await expect.poll(() => countAside(house.house)).toBe(0)
    expect(ids.map(await readGoing(other, jobName(rounds.jobs.go)))).toEqual([false, false, false])
  })
})

test('A run whose time was up is gone on with by those that are left, and not begun again', async () => {
  const binding = house.house.jobs.find(({ job }) => job === rounds.jobs.go)
  if (binding === undefined) throw new Error('There is no such job')
  const options = { startAfter: undefined, began: async () => {} }
  const take: TakeTurn = async ({ tenantId }) => void turns.push(tenantId)
  // What the tests before have left.
  await takeTurns(house.house, binding, take, options)
  await takeTurns(house.house, binding, take, options)
  turns.length = 0
  await takeTurns(house.house, binding, take, options, { longest: -1 })
  await takeTurns(house.house, binding, take, options)
  expect(turns.toSorted()).toEqual(ids.toSorted())
})
