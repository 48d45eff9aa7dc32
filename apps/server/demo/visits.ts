// The demonstration's visitors: who is expected, in the house, gone, or has not left.

import { visitors } from '#areas/visitors/contract.ts'
import { insertVisit } from '#areas/visitors/server/store.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'

const hour = 3_600_000

/** Hours from now. */
const planned = [
  { name: 'Ruth Calder', company: 'Calder Surveying', purpose: 'Survey of the depot', from: 20, until: 26 },
  {
    name: 'Tomas Lindqvist',
    company: 'Nordic Pumps',
    purpose: 'Offer for the pumping station',
    from: -2,
    until: 4,
    arrived: -1.5,
    pass: 'V-014',
  },
  { name: 'Amara Okafor', company: 'Okafor Legal', purpose: '', from: -9, until: -3, arrived: -8.8, pass: 'V-009' },
  { name: 'Jun Watanabe', company: '', purpose: 'Interview', from: -30, until: -27, arrived: -30, left: -28, pass: 'V-003' },
  { name: 'Lena Fischer', company: 'Fischer Bau', purpose: 'Handing over of plans', from: -52, until: -48 },
] as const

export async function writeVisits(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const hosts = members.filter((member) => member.activated)
    if (administrator === undefined || hosts.length === 0) continue
    const at = (hours: number): Date => new Date(house.now().getTime() + hours * hour)
    await house.work(tenantId, { userId: administrator.id, name: administrator.username }, async ({ tenancy, emitFor }) => {
      for (const visit of planned) {
        const id = timeOrderedId(at(Math.min(visit.from, 0)))
        const host = chance.pick(hosts)
        await insertVisit(tenancy, {
          id,
          name: visit.name,
          company: visit.company,
          email_address: '',
          host_id: host.id,
          begins: at(visit.from),
          until: at(visit.until),
          purpose: visit.purpose,
          pass_number: 'pass' in visit ? visit.pass : '',
          arrived_at: 'arrived' in visit ? at(visit.arrived) : null,
          left_at: 'left' in visit ? at(visit.left) : null,
        })
        emitFor(visitors)('planned', { visitId: id, hostId: host.id }, id)
      }
    })
  }
}
