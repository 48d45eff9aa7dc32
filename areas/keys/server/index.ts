import { inTenant } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import { serve, type TenancyTurn } from '#core/server/serve.ts'
import { keys } from '../contract.ts'
import { letGoOfAll } from './held-tokens.ts'
import { allTokens } from './token-store.ts'
import { check, tokenHandlers } from './tokens.ts'

export default serve(keys, tokenHandlers, {
  jobs: { tokens: { inTenancy: checkTokens } },
  stop: async (house) => letGoOfAll(house),
})

/** A token whose PIN was refused is not tried: `check` says what its row says. */
async function checkTokens({ house, tenantId }: TenancyTurn): Promise<void> {
  const tokens = await inTenant(house.database, tenantId, (db) => allTokens(db, tenantId))
  await forEach(tokens, async ({ id, state, state_since: since }) => {
    // Whoever has just given its PIN is trying it.
    if (state === 'unchecked' && house.now().getTime() - since.getTime() < 60_000) return
    await check(house, tenantId, id)
  })
}
