// After a crash between the record and the signature: the reservations about authorities are signed now, the same bytes and the same serial,
// and requests for outside authorities likewise. Renewed, linking and cross-certificates are, too. Nothing is given any more to whoever lost the right to it meanwhile.

import { KeyUnavailable } from '#areas/keys/service.ts'
import { inTenant } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { unsignedHeldCertificates } from './certificate-store.ts'
import { finishAllFurther } from './certify.ts'
import { finishAuthority, makerFor } from './create.ts'
import { unfinishedAuthorities } from './store.ts'

/** Younger ones are in the hands of the request that made them. */
const graceMilliseconds = 60_000

export async function finishInterrupted({ house, tenantId }: TenancyTurn): Promise<void> {
  const olderThan = new Date(house.now().getTime() - graceMilliseconds)
  const { unfinished, unsigned } = await inTenant(house.database, tenantId, async (db) => ({
    unfinished: await unfinishedAuthorities(db, tenantId, olderThan),
    unsigned: await unsignedHeldCertificates(db, tenantId, olderThan),
  }))
  const maker = makerFor(house, tenantId, { name: 'Recovery' }, '')
  const works = [
    ...unfinished.map(
      ({ id }) =>
        async () =>
          finishAuthority(house, maker, id).catch((error: unknown) => {
            // One waits for its token; the others do not wait for it.
            if (!(error instanceof KeyUnavailable)) throw error
          }),
    ),
    ...unsigned.map(
      ({ id }) =>
        async () =>
          finishAllFurther(house, maker, [id]),
    ),
  ]
  await forEach(works, (work) => work())
}
