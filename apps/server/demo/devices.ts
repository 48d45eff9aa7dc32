// The demonstration's devices: those that have certificates by their families' names, phones that a system told of, and one that two sources told of.

import { randomUUID } from 'node:crypto'
import { devices } from '#areas/devices/contract.ts'
import { claimMany, plantDevices } from '#areas/devices/service.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000

const kinds = [
  { type: 'Server', name: 'srv', count: 60, source: 'csv' },
  { type: 'Laptop', name: 'laptop', count: 220, source: 'mdm' },
  { type: 'Mobile', name: 'phone', count: 140, source: 'mdm' },
  { type: 'Printer', name: 'printer', count: 30, source: 'csv' },
  { type: 'Network', name: 'switch', count: 40, source: 'scim' },
  { type: 'Camera', name: 'camera', count: 10, source: 'typed' },
] as const

const statuses = ['active', 'active', 'active', 'active', 'active', 'active', 'stored', 'planned', 'retired', 'lost'] as const

const hex = (chance: Chance, bytes: number) => Array.from({ length: bytes }, () => chance.below(256).toString(16).padStart(2, '0'))

export async function writeDevices(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  for (const { id: tenantId, plan, members } of tenancies) {
    const actor = { name: 'Import of devices' }
    const now = house.now()
    await houseAt(house, new Date(now.getTime() - 120 * day)).work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const planned = kinds.flatMap(({ type, name, count, source }) =>
        Array.from({ length: count }, (_, at) => {
          const number = String(at + 1).padStart(4, '0')
          const hostname = `${name}-${number}.${plan.domain}`
          const owner = type === 'Laptop' || type === 'Mobile' ? chance.pick(members).id : null
          return {
            id: randomUUID(),
            name: `${name}-${number}`,
            hostname: type === 'Mobile' ? '' : hostname,
            type,
            status: chance.pick(statuses),
            owner_user_id: owner,
            organisation_id: null,
            note: '',
            source,
            ...(source === 'csv' ? {} : { seen_at: chance.between(new Date(now.getTime() - 60 * day), now) }),
            identifiers: [
              { kind: 'serial' as const, value: hex(chance, 5).join('').toUpperCase() },
              { kind: 'eui48' as const, value: ['02', ...hex(chance, 5)].join(':') },
            ],
          }
        }),
      )
      await plantDevices(tenancy, planned)
      const emit = emitFor(devices)
      for (const { id, name, source } of planned.slice(0, 5)) emit('added', { deviceId: id, name, source }, id)
      // A notebook that somebody also entered in a file.
      const twin = planned.find(({ type }) => type === 'Laptop')
      const [serial] = twin?.identifiers ?? []
      if (twin === undefined || serial === undefined) return
      const id = randomUUID()
      const draft = {
        id,
        name: `${twin.name} (stock list)`,
        hostname: '',
        type: 'Laptop',
        status: 'active' as const,
        owner_user_id: null,
        organisation_id: null,
        note: '',
      }
      await plantDevices(tenancy, [{ ...draft, source: 'csv', identifiers: [] }])
      await claimMany(tenancy, emit, [{ deviceId: id, source: 'csv', identifiers: [serial] }])
    })
  }
}
