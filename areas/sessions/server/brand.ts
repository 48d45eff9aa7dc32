import { findTenancy } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'

/** Name, colour and support address of a tenancy, for the pages of its people before they are signed in. */
export async function brandOf(db: Database, tenantId: string): Promise<{ name: string; bannerColour: string; supportEmail: string }> {
  const { name = '', bannerColour = '', supportEmail = '' } = (await findTenancy(db, tenantId)) ?? {}
  return { name, bannerColour, supportEmail }
}

/** What people agree to by signing in; empty where the tenancy has no terms of its own. */
export const termsOf = async (db: Database, tenantId: string): Promise<string> => (await findTenancy(db, tenantId))?.disclaimer ?? ''
