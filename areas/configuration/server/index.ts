import { sealForTenant } from '#areas/keys/sealing.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { offer } from '#core/contract/slots.ts'
import { invalidField } from '#core/server/fault.ts'
import { registerRequestLimit } from '#core/server/request-size.ts'
import { serve } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { configuration } from '../contract.ts'
import { networkAddresses, type NetworkAddress } from '../infrastructure.ts'
import { requestSizeLimit, valueFault } from '../rules.ts'
import { readValue, secretPurpose } from '../service.ts'
import { valueKeys } from '../values.ts'
import { installationFacts } from './installation.ts'
import { ownAddresses } from './own-addresses.ts'
import { presentValue } from './presenter.ts'
import { deleteValue, findValue, insertValue, listValues } from './store.ts'

const kibibyte = 1024

export default serve(
  configuration,
  {
    async values(_input, { tenancy, house }) {
      const stored = new Map((await listValues(tenancy)).map((row) => [row.key, row]))
      return { values: house.offers(valueKeys).map((key) => presentValue(key, stored.get(key.key))) }
    },

    async change({ key: name, value }, { tenancy, house, emit, fault }) {
      const key = house.offers(valueKeys).find((one) => one.key === name) ?? fault('unknownKey')
      if (value === undefined) {
        if ((await findValue(tenancy, name)) === undefined) return {}
        await deleteValue(tenancy, name)
        emit('changed', { key: name, reset: true }, tenancy.tenantId)
        return {}
      }
      const wrong = valueFault(key, value)
      if (wrong !== undefined) throw invalidField('value', wrong)
      if (key.kind === 'secret') {
        const { db, tenantId, now } = tenancy
        const plain = Buffer.from(String(value), 'utf8')
        const secret = await sealForTenant(db, house, { tenantId, purpose: secretPurpose(tenantId, name), plain, now })
        await insertValue(tenancy, { key: name, value: null, sealed: secret.sealed, tenant_key_id: secret.tenantKeyId })
        emit('changed', { key: name, reset: false }, tenantId)
      } else {
        await insertValue(tenancy, { key: name, value, sealed: null, tenant_key_id: null })
        emit('changed', { key: name, value: String(value), reset: false }, tenancy.tenantId)
      }
      return {}
    },

    async infrastructure(_input, { tenancy, house }) {
      const all: NetworkAddress[] = []
      for (const read of house.offers(networkAddresses)) all.push(...(await read(tenancy, house)))
      const going = (wanted: 'in' | 'out') =>
        all.filter(({ direction }) => direction === wanted).map(({ purpose, name, address }) => ({ purpose, name, address }))
      return { incoming: going('in'), outgoing: going('out') }
    },

    async installation(_input, { db, viewer, house, fault }) {
      if ((await findTenancy(db, viewer.homeTenantId))?.kind !== 'management') fault('notYours')
      return installationFacts(house)
    },
  },
  {
    offers: [offer(valueKeys, requestSizeLimit), offer(networkAddresses, ownAddresses)],
    async start(house) {
      registerRequestLimit(house, (tenantId) =>
        withTenancy(house, tenantId, async (tenancy) => {
          const set = await findValue(tenancy, requestSizeLimit.key)
          return set === undefined ? undefined : (await readValue(tenancy, requestSizeLimit)) * kibibyte
        }),
      )
    },
  },
)
