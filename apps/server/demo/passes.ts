// The demonstration's passes: printed some weeks ago, most in the drawer, some with people and guests, one not returned, one lost.

import { randomUUID } from 'node:crypto'
import { passes } from '#areas/passes/contract.ts'
import { endOfDay, dayIn, passNumberOf, startOfDay, type PassKind } from '#areas/passes/rules.ts'
import { findByNumber, insertPasses, insertPrint, updatePass } from '#areas/passes/server/store.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000
const prints: readonly { kind: PassKind; first: number; quantity: number; ago: number }[] = [
  { kind: 'positive', first: 1, quantity: 20, ago: 60 },
  { kind: 'guest', first: 21, quantity: 30, ago: 58 },
]

type Story = { number: number; guest?: readonly [string, string]; from: number; until: number; misplaced?: 'lost' | 'stolen' }

/** Days from today. */
const stories: readonly Story[] = [
  { number: 3, from: 0, until: 0 },
  { number: 4, from: 0, until: 2 },
  { number: 7, from: -1, until: 4 },
  { number: 9, from: -6, until: -5 },
  { number: 12, from: -20, until: -20, misplaced: 'lost' },
  { number: 22, guest: ['Ingrid', 'Solberg'], from: 0, until: 0 },
  { number: 23, guest: ['Mateo', 'Alvarez'], from: 0, until: 0 },
  { number: 25, guest: ['Priya', 'Raman'], from: -1, until: 3 },
  { number: 30, guest: ['Jonas', 'Weber'], from: -3, until: -3 },
  { number: 31, guest: ['Amélie', 'Fournier'], from: -12, until: -12, misplaced: 'stolen' },
]

export async function writePasses(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  const now = house.now()
  const at = (days: number) => new Date(now.getTime() + days * day)
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const others = members.filter((member) => member !== administrator && member.activated)
    if (administrator === undefined || others.length === 0) continue
    const actor = { userId: administrator.id, name: administrator.username }
    for (const { kind, first, quantity, ago } of prints)
      await houseAt(house, at(-ago)).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const id = randomUUID()
        const numbers = Array.from({ length: quantity }, (_, more) => passNumberOf(String(first + more)))
        await insertPasses(
          tenancy,
          numbers.map((number) => ({ id: randomUUID(), number, kind, print_id: id })),
        )
        await insertPrint(tenancy, {
          id,
          kind,
          quantity,
          first_number: numbers[0] ?? '',
          last_number: numbers.at(-1) ?? '',
          by_name: administrator.username,
        })
        emitFor(passes)('printed', { printId: id, quantity, cardType: kind }, id)
      })
    for (const { number, guest, from, until, misplaced } of stories)
      await houseAt(house, at(Math.min(from, 0) - 0.01)).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const pass = await findByNumber(tenancy, passNumberOf(String(number)))
        if (pass === undefined) return
        const emit = emitFor(passes)
        const userId = guest === undefined ? chance.pick(others).id : null
        const ends = endOfDay(dayIn(at(until), 'UTC'), 'UTC')
        await updatePass(tenancy, pass.id, {
          status: misplaced === undefined ? 'issued' : 'misplaced',
          user_id: userId,
          given_name: guest?.[0] ?? '',
          family_name: guest?.[1] ?? '',
          valid_from: startOfDay(dayIn(at(from), 'UTC'), 'UTC'),
          valid_until: ends,
          reason: misplaced ?? '',
        })
        const about = { passId: pass.id, passNumber: pass.number, ...(userId === null ? {} : { userId }) }
        emit('assigned', { ...about, until: ends.toISOString() }, pass.id)
        if (misplaced !== undefined) emit('misplaced', { ...about, reason: misplaced }, pass.id)
      })
  }
}
