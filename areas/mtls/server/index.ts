import { allOfTenancy } from '#areas/authorities/service.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { endSessionsOpenedBy } from '#areas/sessions/first-factor.ts'
import { heldSerials } from '#areas/sessions/held-serials.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { on, serve, type EventDelivery } from '#core/server/serve.ts'
import { mtls } from '../contract.ts'
import { begin, finish, isOffered, openedBy } from './flow.ts'
import { judge, keyIdOf } from './judge.ts'
import { present, startListener, stopListener } from './listener.ts'
import { deleteEnded, findPolicy, replaceAuthorities, updatePolicy } from './store.ts'

const nothing = { enabled: false, authorities: [] as string[], mapping: 'serial', strong: false, version: 0 } as const

export default serve(
  mtls,
  {
    async policy(_input, { tenancy, house, now }) {
      const { enabled, authorities, mapping, strong, version } = (await findPolicy(tenancy)) ?? nothing
      const all = await allOfTenancy(tenancy.db, tenancy.tenantId, now)
      const address = house.settings.certificateSignIn?.url
      return {
        enabled,
        authorities: [...authorities],
        mapping,
        strong,
        version,
        choices: all
          .filter(({ certificate }) => certificate !== undefined)
          .map(({ caId, friendlyName, revoked, status }) => ({ caId, name: friendlyName, usable: !revoked && status !== 'PendingCert' })),
        ...(address === undefined ? {} : { address }),
      }
    },

    async changePolicy({ version, ...policy }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const all = new Map((await allOfTenancy(tenancy.db, tenancy.tenantId, now)).map((authority) => [authority.caId, authority]))
      const chosen = [...new Set(policy.authorities)].map((caId) => {
        const authority = all.get(caId)
        const keyId = authority?.certificate === undefined || authority.revoked ? undefined : keyIdOf(authority.certificate)
        return keyId === undefined ? fault('unknownAuthority') : { caId, keyId }
      })
      if (policy.enabled && chosen.length === 0) fault('noAuthority')
      const next = { ...policy, authorities: chosen.map(({ caId }) => caId) }
      if (!(await updatePolicy(tenancy, version, next))) fault('conflict')
      await replaceAuthorities(tenancy, policy.enabled ? chosen : [])
      // Who came under other rules comes again under these.
      await endSessionsOpenedBy(tenancy.db, tenancy.tenantId, openedBy(''))
      emit('policyChanged', next)
      return {}
    },

    async certificates({ userId }, { tenancy, viewer, house, now, fault }) {
      if (userId !== viewer.userId && !viewer.permission.api.includes('userView')) fault('denied', { params: { permission: 'userView' } })
      const { db, tenantId } = tenancy
      const policy = await findPolicy(tenancy)
      const serials: string[] = []
      for (const held of house.offers(heldSerials)) serials.push(...(await held(db, tenantId, userId, now)))
      const rows = []
      for (const serial of serials.slice(0, 50)) {
        const found = await findCertificate(db, tenantId, { certId: serial }, now)
        if (found === undefined) continue
        const { refusal } = await judge(tenancy, policy, found.id)
        rows.push({
          id: found.id,
          name: found.name,
          authority: found.caName,
          serialNumber: found.serialHex,
          validTo: found.validTo.toISOString(),
          ...(refusal === undefined ? {} : { refusal }),
        })
      }
      return { rows }
    },

    offered: async (_input, { house }) => ({ offered: await isOffered(house) }),
    begin,
    finish,
  },
  {
    endpoints: { present: { handle: present } },
    jobs: { clean: { inHouse: (house) => deleteEnded(house.database, house.now()) } },
    subscriptions: [on(revocation.events.revoked, endSessions), on(revocation.events.held, endSessions)],
    start: startListener,
    stop: stopListener,
  },
)

/** A revoked certificate opens nothing more at the next sign-in; so that nothing stays open that it opened. */
async function endSessions({ tenantId, body }: EventDelivery<{ certificateId: string }>, house: House): Promise<void> {
  await inTenant(house.database, tenantId, (db) => endSessionsOpenedBy(db, tenantId, openedBy(body.certificateId)))
}
