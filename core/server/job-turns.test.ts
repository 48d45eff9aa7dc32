// Whose turn it is in a job that works in each tenancy.

import { beforeAll, beforeEach, expect, test } from 'vitest'
import { contract } from '#core/contract/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { takeTurns } from './job-turns.ts'
import { serve, type TakeTurn } from './serve.ts'
import { allTenancies } from './tenancies.ts'

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
  const taken = await takeTurns(house.house, binding, take, options, -1)
  expect(taken).toMatchObject({ timeIsUp: true, startAfter: ids[1], failures: [] })
  expect([places(), began]).toEqual([[1], [ids[1]]])
})
