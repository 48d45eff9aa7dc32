// The demonstration's sponsors: who answers for visitors and contractors of each tenancy, since when, and for whom.

import { randomUUID } from 'node:crypto'
import { sponsors } from '#areas/sponsors/contract.ts'
import { insertPerson, insertRow } from '#areas/sponsors/server/store.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000

type Terms = { note: string; passTypes: string[]; most: number; people: number; began: number; ends?: number }

/** Days from now. */
const terms: readonly Terms[] = [
  { note: 'Works on the depot until it is handed over', passTypes: ['Contractor'], most: 10, people: 4, began: -210, ends: 21 },
  { note: '', passTypes: ['Visitor'], most: 25, people: 6, began: -400 },
  { note: 'Students of the summer term', passTypes: ['Trainee'], most: 5, people: 5, began: -90, ends: 120 },
  { note: 'Auditors of the yearly audit', passTypes: ['Visitor', 'Contractor'], most: 3, people: 2, began: -30, ends: 12 },
  { note: 'Begins with the new library', passTypes: ['Contractor'], most: 8, people: 0, began: 14, ends: 200 },
  { note: 'Was responsible for the move of the archive', passTypes: ['Contractor'], most: 4, people: 0, began: -500, ends: -40 },
]

export async function writeSponsors(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const others = members.filter((member) => member !== administrator && member.activated)
    if (administrator === undefined || others.length < terms.length * 2) continue
    const hosts = new Set<(typeof others)[number]>()
    while (hosts.size < terms.length) hosts.add(chance.pick(others))
    // Nobody has two sponsors, and no sponsor has one here.
    const guests = others.filter((member) => !hosts.has(member))
    const actor = { userId: administrator.id, name: administrator.username }
    for (const [at, host] of [...hosts].entries()) {
      const { people, began, ends, most, passTypes, note } = terms[at] ?? { people: 0, began: 0, most: 1, passTypes: [], note: '' }
      const then = new Date(house.now().getTime() + Math.min(began, -1) * day)
      await houseAt(house, then).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const emit = emitFor(sponsors)
        const id = randomUUID()
        await insertRow(tenancy, {
          id,
          user_id: host.id,
          organisation_id: null,
          begins: new Date(house.now().getTime() + began * day),
          until: ends === undefined ? null : new Date(house.now().getTime() + ends * day),
          most,
          pass_types: passTypes,
          note,
        })
        emit('added', { sponsorId: id, userId: host.id }, id)
        for (const guest of guests.splice(0, people)) {
          await insertPerson(tenancy, guest.id, id)
          emit('sponsored', { userId: guest.id, sponsorId: id }, guest.id)
        }
      })
    }
  }
}
