// What other rooms may ask: how a host looks, for pages before sign-in and for mail.

import { readDomain } from '#areas/domains/rules.ts'
import { isDomainProved, tenancyOfDomain } from '#areas/domains/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { findBranding, listHosts, type BrandingRecord } from './server/store.ts'

export type HostLook = {
  tenantId: string
  domain: string
  altAppName: string
  primaryColour: string
  secondaryColour: string
  tertiaryColour: string
  icon: string
  logoContainsAppName: boolean
}

export const presentLook = (row: BrandingRecord): HostLook => ({
  tenantId: row.tenant_id,
  domain: row.host,
  altAppName: row.alt_app_name,
  primaryColour: row.primary_colour,
  secondaryColour: row.secondary_colour,
  tertiaryColour: row.tertiary_colour,
  icon: row.icon === null ? '' : `data:${row.icon_type ?? 'image/png'};base64,${row.icon.toString('base64')}`,
  logoContainsAppName: row.logo_contains_app_name,
})

/** The look of a host, of the tenancy that has proved its domain now. Anybody writes what the Host header says: it finds a public look and nothing else. */
export async function lookOfHost(house: Pick<House, 'database' | 'now'>, host: string | undefined): Promise<HostLook | undefined> {
  const name = host === undefined ? undefined : readDomain(host)
  const tenantId = name === undefined ? undefined : await tenancyOfDomain(house.database, name)
  if (name === undefined || tenantId === undefined) return undefined
  const row = await withTenancy(house, tenantId, (tenancy) => findBranding(tenancy, name))
  return row && presentLook(row)
}

/** The look of a host where it is one of this tenancy's now; undefined for that of another. */
export async function ownLookOfHost(tenancy: Pick<Tenancy, 'db' | 'tenantId'>, host: string | undefined): Promise<HostLook | undefined> {
  const name = host === undefined ? undefined : readDomain(host)
  if (name === undefined || !(await isDomainProved(tenancy, name))) return undefined
  const row = await findBranding(tenancy, name)
  return row && presentLook(row)
}

/** The look of a tenancy's mail: that of the host which got one first, and whose domain is proved now. */
export async function lookOfMail(tenancy: Tenancy): Promise<HostLook | undefined> {
  for (const host of await listHosts(tenancy)) {
    if (!(await isDomainProved(tenancy, host))) continue
    const row = await findBranding(tenancy, host)
    if (row !== undefined) return presentLook(row)
  }
  return undefined
}
