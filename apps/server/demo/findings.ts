// The demonstration's findings: what a scan of the first site saw, some of it about to break, ended, or served under another name, and what providers hold.

import { plantFindings, plantProviders, type PlannedProvider } from '#areas/discovery/service.ts'
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
    await houseAt(house, new Date(now.getTime() - 5 * hour)).work(tenantId, { name: 'Network team' }, async ({ tenancy }) => {
      await plantFindings(tenancy, scan)
      await plantProviders(tenancy, providersOf(served))
    })
  }
}

const few = 12

/** What the clouds, the directory and a log hold: each some of what the servers serve. */
function providersOf(served: readonly { certificate: Uint8Array; name: string }[]): PlannedProvider[] {
  const some = (from: number, place: (name: string, at: number) => string) =>
    served
      .filter((_one, at) => at % 4 === from)
      .slice(0, few)
      .map(({ certificate, name }, at) => ({ certificate, place: place(name, at) }))
  const account = '111122223333'
  return [
    {
      kind: 'directory',
      name: 'Machines',
      url: 'ldaps://directory.example:636',
      scope: 'ou=machines,dc=example,dc=org',
      account: 'cn=reader,dc=example,dc=org',
      found: some(0, (name) => `cn=${name},ou=machines,dc=example,dc=org`),
    },
    {
      kind: 'aws',
      name: 'Frankfurt',
      url: 'https://acm.eu-central-1.amazonaws.com',
      scope: 'eu-central-1',
      account: 'AKIDEXAMPLE',
      found: some(1, (_name, at) => `arn:aws:acm:eu-central-1:${account}:certificate/${String(at + 1).padStart(8, '0')}`),
    },
    {
      kind: 'azure',
      name: 'Shop vault',
      url: 'https://shop.vault.azure.net',
      scope: 'contoso.example',
      account: 'discovery',
      found: some(2, (name, at) => `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${at + 1}`),
    },
    {
      kind: 'ct',
      name: 'A public log',
      url: 'https://log.example/2026',
      scope: '',
      account: '',
      says: 'Read to 48,211,904 of 48,211,904',
      found: some(3, (_name, at) => `${48_100_000 + at * 7_919}`),
    },
  ]
}
