// The demonstration's devices: those that have certificates by their families' names, phones that a system told of, and one that two sources told of.

import { randomUUID } from 'node:crypto'
import { devices } from '#areas/devices/contract.ts'
import { claimMany, plantDevices } from '#areas/devices/service.ts'
import { plantSubnets } from '#areas/networks/service.ts'
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
      await plantSubnets(tenancy, subnetsFor(planned, now, chance))
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

/** Three sites, each with offices and a server room: one nearly full, some addresses silent, some seen and given to nobody. */
function subnetsFor(devices: readonly { id: string; name: string; type: string }[], now: Date, chance: Chance) {
  const servers = devices.filter(({ type }) => type === 'Server' || type === 'Printer')
  const address = (cidr: string, host: number) => cidr.replace(/\d+\/\d+$/, String(host))
  const leaf = (cidr: string, name: string, full: number) => ({
    cidr,
    name,
    kind: 'network' as const,
    addresses: Array.from({ length: 254 }, (_, at) => at + 1).flatMap((host) => {
      if (chance.number() > full) return []
      const device = chance.number() < 0.3 ? chance.pick(servers) : undefined
      const state = host === 1 ? ('gateway' as const) : chance.number() < 0.05 ? ('seen' as const) : ('used' as const)
      const silent = chance.number() < 0.15
      return {
        space: '',
        address: address(cidr, host),
        state,
        name: state === 'seen' ? '' : (device?.name ?? `host-${host}`),
        mac: '',
        device_id: state === 'seen' ? null : (device?.id ?? null),
        note: '',
        ...(silent && state !== 'seen' ? {} : { seen_at: chance.between(new Date(now.getTime() - 20 * day), now) }),
      }
    }),
  })
  return [
    { cidr: '10.0.0.0/8', name: 'All sites', kind: 'container' as const, addresses: [] },
    ...[1, 2, 3].flatMap((site) => [
      { cidr: `10.${site}.0.0/16`, name: `Site ${site}`, kind: 'container' as const, addresses: [] },
      leaf(`10.${site}.1.0/24`, 'Offices', 0.6),
      leaf(`10.${site}.2.0/24`, 'Server room', site === 1 ? 0.97 : 0.4),
      leaf(`10.${site}.3.0/24`, 'Guests', 0.15),
    ]),
  ]
}
