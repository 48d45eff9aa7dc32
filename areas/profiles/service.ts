// What rooms above may ask of profiles.

import type { Tenancy } from '#core/server/tenancy.ts'
import { findPhoto } from './server/store.ts'

/** The photo of a person, cleaned when it was set; undefined where there is none. */
export const photoOf = (tenancy: Tenancy, userId: string): Promise<{ type: string; bytes: Buffer } | undefined> =>
  findPhoto(tenancy, userId)
