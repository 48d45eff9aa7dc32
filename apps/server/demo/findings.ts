// The demonstration's findings: what a scan of the first site saw, some of it about to break, ended, or served under another name.

import { plantFindings } from '#areas/discovery/service.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import type { Written } from './history.ts'
import { houseAt } from './then.ts'

const hour = 3_600_000
const day = 24 * hour
const most = 100

export async function writeFindings(
  house: House,
  tenancies: readonly FoundTenancy[],
  written: readonly Written[],
  chance: Chance,
): Promise<void> {
  const now = house.now()
  for (const { id: tenantId } of tenancies) {
    // Servers serve what runs, and now and then what ended a short time ago.
    const served = written
      .map(({ record }) => record)
      .filter(
        (record) => record.tenant_id === tenantId && record.entity === 'device' && record.not_after.getTime() > now.getTime() - 60 * day,
      )
      .toSorted((one, other) => one.not_after.getTime() - other.not_after.getTime())
      .slice(0, most)
    const found = served.map(({ certificate, name }, at) => {
      const wrong = chance.number() < 0.08
      return {
        address: `10.1.2.${(at % 250) + 2}`,
        port: 443,
        serverName: wrong ? `intranet-${at}.example` : name.includes('.') ? name.toLowerCase() : '',
        certificate,
        state: at % 11 === 5 ? ('taken' as const) : at % 37 === 9 ? ('ignored' as const) : ('open' as const),
      }
    })
    const scan = { cidr: '10.1.2.0/24', name: 'Server room', by: 'Network team', probes: 512, found }
    await houseAt(house, new Date(now.getTime() - 5 * hour)).work(tenantId, { name: 'Network team' }, ({ tenancy }) =>
      plantFindings(tenancy, scan),
    )
  }
}
