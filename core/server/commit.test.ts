// What a commit brings, whichever way the work came: by a call, by one with transactions of its own, or by the house itself.

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { serve } from './serve.ts'

const Work = {
  does: 'Works.',
  title: 'Work',
  method: 'POST',
  needs: 'signedIn',
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
} as const
const events = { struck: { says: 'Struck', body: z.object({}) } }
const smithy = contract({
  area: 'smithy',
  title: 'Smithy',
  calls: {
    strike: { ...Work, path: '/api2/Smithy-v1/Strike' },
    forge: { ...Work, ownTransactions: true, path: '/api2/Smithy-v1/Forge' },
    temper: { ...Work, ownTransactions: true, path: '/api2/Smithy-v1/Temper' },
  },
  events,
})

let tried: string[] = []
const failing = (name: string) => () => {
  tried.push(name)
  throw new Error('The bell is cracked')
}
const twice = (afterCommit: (action: () => void) => void) => {
  afterCommit(failing('first'))
  afterCommit(failing('second'))
}

let house: TestHouse
let ada: TestPerson

beforeAll(async () => {
  const room = serve(smithy, {
    strike: async (_, { emit, afterCommit }) => (emit('struck', {}), twice(afterCommit), { done: true }),
    forge: (_, { transact }) => transact(async ({ emit, afterCommit }) => (emit('struck', {}), twice(afterCommit), { done: true })),
    temper: async () => ({ done: true }),
  })
  house = await openTestHouse({ moreRooms: [room] })
  ada = (await house.tenancy('Acme')).administrator
})
afterAll(() => house.close())

const byTheHouse = () =>
  house.house.work(ada.tenantId, { name: 'Smith' }, async ({ emitFor, afterCommit }) => {
    emitFor(smithy)('struck', {})
    twice(afterCommit)
    return { done: true }
  })

const ways = [
  ['a call', () => ada.call(smithy.calls.strike, {})],
  ['a call with transactions of its own', () => ada.call(smithy.calls.forge, {})],
  ['the house itself', byTheHouse],
] as const

test.each(ways)('what fails after the commit of %s does not change the answer, and keeps nothing else from being done', async (_, work) => {
  tried = []
  await expect(work()).resolves.toEqual({ done: true })
  expect(tried).toEqual(['first', 'second'])
})

test.each([...ways, ['a call with transactions of its own that told of nothing', () => ada.call(smithy.calls.temper, {})] as const])(
  'nobody remembers what was before the commit of %s',
  async (_, work) => {
    const forget = vi.spyOn(house.house.cache, 'forget')
    await work()
    expect(forget).toHaveBeenCalledOnce()
    forget.mockRestore()
    const [event] = await audited(house, ada.tenantId)
    expect(event?.area).toBe('smithy')
  },
)
