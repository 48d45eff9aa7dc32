import type * as z from 'zod'
import { ownLookOfHost, type HostLook } from '#areas/branding/service.ts'
import { findTenancy, managementTenancy } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Brand } from './brand-shape.ts'

/** Logo and band of a host, as the shell of the public pages wants them. */
export const presentBand = ({ icon, logoContainsAppName, secondaryColour, tertiaryColour }: HostLook) => ({
  ...(icon === '' ? {} : { icon, logoContainsAppName }),
  ...(secondaryColour === '' ? {} : { bandColour: secondaryColour, bandText: tertiaryColour }),
})

/** How a tenancy looks to its people before they are signed in: as at the host where it is its own, else by its name and colour alone. */
export async function brandOf(
  { db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>,
  host: string | undefined,
): Promise<z.infer<typeof Brand>> {
  const found = await findTenancy(db, tenantId)
  const look = await ownLookOfHost({ db, tenantId }, host)
  return {
    name: look?.altAppName || found?.name || '',
    bannerColour: look?.primaryColour ?? found?.bannerColour ?? '',
    supportEmail: found?.supportEmail || (await managementTenancy(db))?.supportEmail || '',
    look: look === undefined ? {} : presentBand(look),
  }
}

/** What people agree to by signing in; empty where the tenancy has no terms of its own. */
export const termsOf = async (db: Database, tenantId: string): Promise<string> => (await findTenancy(db, tenantId))?.disclaimer ?? ''
