// The estate, and what besides makes each screen show something: a token, a provider of passkeys, a run over many, a drill, and a loud tenant colour.

import { expect } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { fidosync } from '#areas/fidosync/contract.ts'
import { methodOf, openLittleProvider } from '#areas/fidosync/server/provider.fixture.ts'
import { keys } from '#areas/keys/contract.ts'
import { openSoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { furnish, type Estate } from './estate.ts'
import type { Person } from './people.ts'
import { startProduct } from './product.ts'

export type FullEstate = Estate & {
  origin: string
  tokenId: string
  runId: string
  drillId: string
  /** A key that the provider has of somebody, read from there. */
  syncedCredential(): Promise<{ id: string }>
  close(): Promise<void>
}

const pin = '246810'

export async function openFullEstate(): Promise<FullEstate> {
  const hsm = openSoftHsm()
  hsm.token('estate', pin)
  const graph = await openLittleProvider()
  const product = await startProduct({ CHANCERY_PKCS11_MODULES: hsm.modulePath, ...graph.settings })
  const estate = await furnish(product)
  const { ada } = estate
  const tokenId = await registerToken(ada)
  const { runId } = await ada.call(bulk.calls.prepare, { action: 'revocation.revoke', selection: { selectAll: true }, query: {} })
  const { drillId } = await ada.call(revocation.calls.runDrill, { name: 'Quarterly' })
  const settings = await ada.call(tenancy.calls.read, {})
  await ada.call(tenancy.calls.change, tenancy.calls.change.input.parse({ ...settings, bannerColour: '#ffd400' }))
  return {
    ...estate,
    origin: product.origin,
    tokenId,
    runId,
    drillId,
    async syncedCredential() {
      const credentialId = 'key_of_the_desk'
      graph.addPerson('ada', 'desk@elsewhere.example', methodOf(credentialId))
      const provider = { directoryId: 'contoso', clientId: 'chancery', loginUrl: graph.origin, graphUrl: graph.origin, enabled: true }
      await ada.call(fidosync.calls.setProvider, { ...provider, secret: graph.provider.secret })
      await ada.call(fidosync.calls.sync, {})
      await expect.poll(async () => (await ada.call(fidosync.calls.search, {})).total, { timeout: 120_000 }).toBe(1)
      return { id: credentialId }
    },
    async close() {
      await product.stop()
      estate.clear()
      hsm.close()
      await graph.close()
    },
  }
}

async function registerToken(ada: Person): Promise<string> {
  const [{ module = '', tokens = [] } = {}] = (await ada.call(keys.calls.found, {})).modules
  const token = { name: 'Root token', module, label: 'estate', serial: tokens[0]?.serial ?? '', pin }
  return (await ada.call(keys.calls.register, token)).tokenId
}
