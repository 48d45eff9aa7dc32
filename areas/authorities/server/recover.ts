// After a crash between the record and the signature: the reservations about authorities are signed now, the same bytes and the same serial,
// and requests for outside authorities likewise. Renewed, linking and cross-certificates are, too.

import { KeyUnavailable } from '#areas/keys/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { unsignedHeldCertificates } from './certificate-store.ts'
import { finishAllFurther } from './certify.ts'
import { finishAuthority, makerFor } from './create.ts'
import { unfinishedAuthorities } from './store.ts'

/** Younger ones are in the hands of the request that made them. */
const graceMilliseconds = 60_000

export async function finishInterrupted(house: House): Promise<void> {
  const olderThan = new Date(house.now().getTime() - graceMilliseconds)
  for (const { id: tenantId } of await listTenancies(house.database)) {
    for (const { id } of await inTenant(house.database, tenantId, (db) => unfinishedAuthorities(db, tenantId, olderThan))) {
      await finishAuthority(house, makerFor(house, tenantId, { name: 'Recovery' }, ''), id).catch((error: unknown) => {
        // One waits for its token; the others do not wait for it.
        if (!(error instanceof KeyUnavailable)) throw error
      })
    }
    const unsigned = await inTenant(house.database, tenantId, (db) => unsignedHeldCertificates(db, tenantId, olderThan))
    await finishAllFurther(
      house,
      makerFor(house, tenantId, { name: 'Recovery' }, ''),
      unsigned.map(({ id }) => id),
    )
  }
}
