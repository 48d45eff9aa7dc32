// The serial numbers of a person's certificates, for the viewer object. The rooms that know certificates stand above and offer them.

import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'

/** The newest first. The transaction is set to the person's home. */
export type HeldSerials = (db: Database, tenantId: string, userId: string, now: Date) => Promise<readonly string[]>
export const heldSerials = slot<HeldSerials>('viewer: serial numbers of the valid certificates that a person holds')
