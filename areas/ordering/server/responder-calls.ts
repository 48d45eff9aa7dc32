// The calls about DNS responders. The secret of one goes in and never out.

import { randomBytes, randomUUID } from 'node:crypto'
import type * as z from 'zod'
import { sealForTenant } from '#areas/keys/sealing.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { faultOfConstraint, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { dnsRecordName } from '#standards/acme/challenges.ts'
import { nameFault } from '#standards/acme/identifiers.ts'
import { say } from '#standards/say/say.ts'
import { ordering } from '../contract.ts'
import type { ResponderDraft } from '../shapes.ts'
import { countOrders } from './order-store.ts'
import { changeRecord, openResponder, readHost } from './responders.ts'
import { responderPurpose } from './sealing.ts'
import { deleteResponder, findResponder, findResponders, insertResponder, updateResponder, type StoredResponder } from './store.ts'
import { OrderFault } from './wire.ts'

type Draft = z.output<typeof ResponderDraft> & { secret?: string | undefined }
type ResponderCalls = Pick<
  Handlers<typeof ordering>,
  'responders' | 'responder' | 'addResponder' | 'changeResponder' | 'removeResponder' | 'tryResponder'
>

const targetOf = (settings: StoredResponder): string =>
  settings.kind === 'rfc2136' ? `${settings.server}, ${settings.zone}` : settings.url

/** What says where the secret is sent to: at another place it is not sent. */
const placeOf = (settings: StoredResponder): string =>
  settings.kind === 'rfc2136' ? `${settings.kind} ${settings.server}` : `${settings.kind} ${settings.url}`

async function faultsOf(house: House, tenantId: string, { settings, secret }: Draft, stored: boolean): Promise<FieldFault[]> {
  const faults: FieldFault[] = []
  const isUpdate = settings.kind === 'rfc2136'
  const closed = await house.outward.refusal(
    isUpdate ? { use: 'nameServer', ...readHost(settings.server), tenantId } : { use: 'webhook', url: settings.url, tenantId },
  )
  if (closed !== undefined) faults.push({ field: isUpdate ? 'settings.server' : 'settings.url', says: closed.message })
  const entered = secret ?? ''
  if (entered === '' && !stored && settings.kind !== 'webhook')
    faults.push({ field: 'secret', says: isUpdate ? say`Enter the secret of the key` : say`Enter the key (X-Api-Key)` })
  if (isUpdate && entered !== '' && !/^[A-Za-z0-9+/]{16,}={0,2}$/.test(entered))
    faults.push({ field: 'secret', says: say`Enter the secret as base64, as it stands in the configuration of the name server` })
  if (!isUpdate && !/^[\u0020-\u007e]*$/.test(entered)) faults.push({ field: 'secret', says: say`Use printable ASCII characters` })
  return faults
}

const storedOf = ({ settings, waitSeconds }: Draft): StoredResponder => ({ ...settings, waitSeconds })

export const responderCalls: ResponderCalls = {
  async responders(question, { tenancy }) {
    const { rows, total } = await findResponders(tenancy, question)
    const counts = await countOrders(tenancy, 'responder_id')
    return {
      rows: rows.map(({ id, name, settings }) => ({
        id,
        name,
        kind: settings.kind,
        target: targetOf(settings),
        orders: counts.get(id) ?? 0,
      })),
      total,
    }
  },

  async responder({ id }, { tenancy, fault }) {
    const { name, version, settings: stored } = (await findResponder(tenancy, id)) ?? fault('missing')
    const { waitSeconds, ...settings } = stored
    return { id, name, version, settings, waitSeconds }
  },

  async addResponder(draft, { transact, viewer, house, fault }) {
    const faults = await faultsOf(house, viewer.tenantId, draft, false)
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      const id = randomUUID()
      const { sealed, tenantKeyId } = await sealForTenant(tenancy.db, house, {
        tenantId: tenancy.tenantId,
        purpose: responderPurpose(id),
        plain: Buffer.from(draft.secret ?? ''),
        now: tenancy.now,
      })
      await insertResponder(tenancy, {
        tenant_id: tenancy.tenantId,
        id,
        name: draft.name,
        settings: storedOf(draft),
        secret_sealed: sealed,
        tenant_key_id: tenantKeyId,
        version: 1,
        created_at: tenancy.now,
        updated_at: tenancy.now,
      }).catch((error: unknown) => {
        throw faultOfConstraint(ordering.calls.addResponder, error)
      })
      emit('responderAdded', { responderId: id, name: draft.name }, id)
      return { id }
    })
  },

  async changeResponder({ id, version, ...draft }, { transact, viewer, house, fault }) {
    const before = await transact(async ({ tenancy }) => (await findResponder(tenancy, id)) ?? fault('missing'))
    const isThere = placeOf(before.settings) === placeOf(storedOf(draft))
    const faults = await faultsOf(house, viewer.tenantId, draft, isThere)
    if (faults.length > 0) return fault('invalid', { fields: faults })
    return transact(async ({ tenancy, emit }) => {
      const secret =
        draft.secret === undefined && isThere
          ? undefined
          : await sealForTenant(tenancy.db, house, {
              tenantId: tenancy.tenantId,
              purpose: responderPurpose(id),
              plain: Buffer.from(draft.secret ?? ''),
              now: tenancy.now,
            })
      const changed = await updateResponder(
        tenancy,
        { id, version },
        {
          name: draft.name,
          settings: storedOf(draft),
          ...(secret === undefined ? {} : { secret_sealed: secret.sealed, tenant_key_id: secret.tenantKeyId }),
        },
      ).catch((error: unknown) => {
        throw faultOfConstraint(ordering.calls.changeResponder, error)
      })
      if (changed === undefined) return fault('conflict')
      emit('responderChanged', { responderId: id, name: draft.name }, id)
      return { version: changed }
    })
  },

  async removeResponder({ id }, { tenancy, emit, fault }) {
    if (((await countOrders(tenancy, 'responder_id')).get(id) ?? 0) > 0) fault('inUse')
    const name = (await deleteResponder(tenancy, id)) ?? fault('missing')
    emit('responderRemoved', { responderId: id, name }, id)
    return {}
  },

  async tryResponder({ id, name }, { viewer, house, fault }) {
    const wrong = name.startsWith('*') ? 'Write the name without a wildcard' : nameFault(name)
    if (wrong !== undefined) throw invalidField('name', wrong)
    const { tenantId } = viewer
    const responder = (await withTenancy(house, tenantId, (tenancy) => openResponder(tenancy, house, id))) ?? fault('missing')
    const record = { name: dnsRecordName(name.toLowerCase()), value: `trial-${randomBytes(8).toString('hex')}` }
    try {
      await changeRecord(house, tenantId, responder, record, 'add')
      await changeRecord(house, tenantId, responder, record, 'delete')
      return { ok: true, says: say`A TXT record was put at ${record.name} and taken out again` }
    } catch (error) {
      if (error instanceof OrderFault) return { ok: false, says: error.message }
      throw error
    }
  },
}
