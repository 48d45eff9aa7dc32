// Puts applets on the card in a reader: the typed check value first, then the card's own proof, then ours, once.

import { unsealForTenant } from '#areas/keys/sealing.ts'
import { atReader, CardFault } from '#areas/smartcards/raw-reader.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { cardNameOf, greet, hasApplet, openManager, OtherKeys } from '#standards/globalplatform/manager.ts'
import { ScpError } from '#standards/globalplatform/scp03.ts'
import { say } from '#standards/say/say.ts'
import { applets } from '../contract.ts'
import { forgetRefused, hasRefused, listConfigs, listLoadable, noteRefused } from './store.ts'

const call = applets.calls.upload
type Answer = OutputOf<typeof call>
type Acting = { house: House; viewer: Viewer; address: string }

export const masterPurpose = (hardware: string): string => `card_manager_keys ${hardware}`

async function planned(
  { house, viewer }: Acting,
  { customer_sc_hardware: hardware, confirmation }: Pick<InputOf<typeof call>, 'customer_sc_hardware' | 'confirmation'>,
) {
  return withTenancy(house, viewer.tenantId, async (tenancy) => {
    const configs = await listConfigs(tenancy)
    const config =
      hardware === undefined ? (configs.length === 1 ? configs[0] : undefined) : configs.find((one) => one.hardware === hardware)
    if (config === undefined) throw faultOfCall(call, 'unknownConfig')
    if (config.check_value !== confirmation) throw faultOfCall(call, 'otherKey')
    const files = (await listLoadable(tenancy)).flatMap(({ file, applet_id: appletId, package_id: packageId, sha256 }) =>
      file !== null ? [{ appletId, packageId, sha256, file }] : [],
    )
    if (files.length === 0) throw faultOfCall(call, 'nothingToLoad')
    const master = await unsealForTenant(tenancy.db, house, {
      tenantId: viewer.tenantId,
      purpose: masterPurpose(config.hardware),
      sealed: config.master_sealed,
      tenantKeyId: config.tenant_key_id,
    })
    return { config, files, master }
  })
}

export async function uploadTo(acting: Acting, input: InputOf<typeof call>): Promise<Answer> {
  const { house, viewer, address } = acting
  const { config, files, master } = await planned(acting, input)
  const actor = { userId: viewer.userId, name: actorOf(viewer), address }
  const { hardware, check_value: checkValue } = config
  try {
    return await atReader(
      house,
      { userId: viewer.userId, reader: input.reader, says: say`Putting applets on the card` },
      async (transmit) => {
        const states = new Map<string, 'present' | 'loaded'>()
        for (const { appletId } of files) if (await hasApplet(transmit, Buffer.from(appletId, 'hex'))) states.set(appletId, 'present')
        const greeting = await greet(transmit, config.key_version)
        const card = cardNameOf(greeting)
        // On record before the key is tried: a card whose try nobody saw the end of is not tried again by itself.
        await house.work(viewer.tenantId, actor, async ({ tenancy, emitFor }) => {
          if (!input.again && (await hasRefused(tenancy, card, checkValue))) throw faultOfCall(call, 'triedBefore', { params: { card } })
          await noteRefused(tenancy, card, checkValue)
          emitFor(applets)('tried', { card, hardware })
        })
        const manager = await openManager(transmit, greeting, master).catch(async (error: unknown) => {
          if (!(error instanceof OtherKeys)) throw error
          await house.work(viewer.tenantId, actor, async ({ emitFor }) => void emitFor(applets)('refused', { card, hardware }))
          throw faultOfCall(call, 'otherCardKeys')
        })
        await withTenancy(house, viewer.tenantId, (tenancy) => forgetRefused(tenancy, card, checkValue))
        for (const { appletId, packageId, sha256, file } of files) {
          if (states.has(appletId)) continue
          const body = { card, appletId, packageId, sha256 }
          // On record before it: a load that stops, or whose install fails, leaves a file on the card.
          await house.work(viewer.tenantId, actor, async ({ emitFor }) => void emitFor(applets)('loadBegan', body))
          const packageAid = Buffer.from(packageId, 'hex')
          await manager.load(packageAid, file)
          await manager.install(packageAid, Buffer.from(appletId, 'hex'))
          await house.work(viewer.tenantId, actor, async ({ emitFor }) => void emitFor(applets)('loaded', body))
          states.set(appletId, 'loaded')
        }
        return {
          card,
          applets: files.map(({ appletId }) => ({ applet_id: appletId, state: states.get(appletId) ?? 'loaded' })),
          left: input.card_count - 1,
        }
      },
    )
  } catch (error) {
    if (error instanceof CardFault) throw faultOfCall(call, error.code, { params: error.params })
    if (error instanceof ScpError) throw faultOfCall(call, 'noManager', { params: { reason: error.message } })
    throw error
  }
}
