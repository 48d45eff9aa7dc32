// What rooms above ask about visits.

import type { Tenancy } from '#core/server/tenancy.ts'
import { lockOpenOf } from './server/store.ts'

/** The numbers of the passes that visitors of a host have, who are in the house. */
export const passNumbersOf = async (tenancy: Tenancy, hostId: string): Promise<string[]> =>
  (await lockOpenOf(tenancy, hostId)).flatMap(({ arrived_at, pass_number }) =>
    arrived_at === null || pass_number === '' ? [] : [pass_number],
  )
