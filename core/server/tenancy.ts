// A tenancy as a store is given it: the open transaction in which row security shows its rows, its id for the statements, and the moment of the work.
// They are one value, so that none of them is of another tenancy or another moment (decision 11).

import { inTenant, type Database } from './database.ts'

export type Tenancy = { readonly db: Database; readonly tenantId: string; readonly now: Date }

/** Runs `work` in one transaction of one tenancy. It leaves no event: what changes something is done in a call or in `house.work`. */
export const withTenancy = <T>(
  house: { database: Database; now(): Date },
  tenantId: string,
  work: (tenancy: Tenancy) => Promise<T>,
): Promise<T> => inTenant(house.database, tenantId, (db) => work({ db, tenantId, now: house.now() }))
