import { listTenancies } from '#areas/tenancy/service.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { serve } from '#core/server/serve.ts'
import { keys } from '../contract.ts'
import { letGoOfAll } from './held-tokens.ts'
import { allTokens } from './token-store.ts'
import { check, tokenHandlers } from './tokens.ts'

export default serve(keys, tokenHandlers, {
  jobs: [{ name: 'keys.tokens', title: 'Look whether the HSM tokens are there', every: '* * * * *', run: checkTokens }],
  stop: async (house) => letGoOfAll(house),
})

/** A token whose PIN was refused is not tried: `check` says what its row says. */
async function checkTokens(house: House): Promise<void> {
  for (const { id: tenantId } of await listTenancies(house.database)) {
    for (const { id, state, state_since: since } of await inTenant(house.database, tenantId, (db) => allTokens(db, tenantId))) {
      // Whoever has just given its PIN is trying it.
      if (state === 'unchecked' && house.now().getTime() - since.getTime() < 60_000) continue
      await check(house, tenantId, id).catch((error: unknown) =>
        house.log.error({ error, token: id }, 'a token could not be checked; it is tried again in a minute'),
      )
    }
  }
}
