// The demonstration's devices that enrol by protocol: a profile of each, secrets in every state, and what some devices were told.

import { randomUUID } from 'node:crypto'
import { protocolRoom, ProfileSettings } from '#areas/protocols/contract.ts'
import { addressKind, protocols, protocolNames } from '#areas/protocols/rules.ts'
import { enrol } from '#areas/protocols/server/enrol.ts'
import { findSecret } from '#areas/protocols/server/secret-store.ts'
import { makeSecret } from '#areas/protocols/server/secrets.ts'
import { insertProfile, type ProfileRecord } from '#areas/protocols/server/store.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { attribute } from '#standards/x509/names.ts'
import type { FoundTenancy } from './found.ts'
import type { SubjectKeys } from './keys.ts'

const names = { scep: 'Routers and printers', est: 'Servers in the plant', cmp: 'Base stations', windows: 'Computers of the offices' } as const
const hours = 24 * 30

export async function writeEnrolments(house: House, tenancies: readonly FoundTenancy[], keys: SubjectKeys): Promise<void> {
  for (const { id: tenantId, plan, members, templates } of tenancies) {
    const owner = members.find(({ role }) => role === 'administrator')
    const template = templates.get('TLSServer')
    if (owner === undefined || template === undefined) continue
    for (const protocol of protocolNames) {
      const made = await house.work(tenantId, { userId: owner.id, name: owner.username }, async ({ tenancy, emitFor }) => {
        const { now } = tenancy
        const id = randomUUID()
        const publicId = await addPublicAddress(tenancy.db, { tenantId, kind: addressKind, target: id })
        const profile: ProfileRecord = {
          tenant_id: tenantId,
          id,
          public_id: publicId,
          protocol,
          name: names[protocol],
          enabled: true,
          template_id: template.id,
          settings: ProfileSettings.parse({}),
          owner_id: owner.id,
          owner_name: owner.username,
          version: 1,
          created_at: now,
          updated_at: now,
        }
        await insertProfile(tenancy, profile)
        emitFor(protocolRoom)('profileAdded', { profileId: id, protocol, name: profile.name }, id)
        const secretFor = (host: string) =>
          makeSecret(tenancy, house, { profile, name: host, names: { DNS: [host] }, hours, uses: 1, by: owner.username })
        const hosts = [1, 2, 3].map((at) => `${protocols[protocol].label.toLowerCase()}-${at}.${plan.domain}`)
        return {
          profile,
          secrets: [await secretFor(hosts[0] ?? ''), await secretFor(hosts[1] ?? ''), await secretFor(hosts[2] ?? '')],
          hosts,
        }
      })
      // One asks for a name that is not its own; the others have not come yet.
      const secret = await withTenancy(house, tenantId, (tenancy) => findSecret(tenancy, made.secrets[0]?.id ?? ''))
      if (secret !== undefined) {
        const { csr } = keys.request('P-256', [[attribute('CN', `bank.${plan.domain}`)]])
        await enrol({
          house,
          tenantId,
          profile: made.profile,
          key: randomUUID(),
          kind: 'initial',
          csr,
          by: { secret },
          address: '198.51.100.7',
        })
      }
    }
  }
}
