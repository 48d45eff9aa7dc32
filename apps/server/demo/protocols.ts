// The demonstration's devices that enrol by protocol: of each a profile that issues at once and one whose template wants approval, secrets, and what some were told.

import { randomUUID } from 'node:crypto'
import { protocolRoom, ProfileSettings } from '#areas/protocols/contract.ts'
import { addressKind, protocols, protocolNames, type Protocol } from '#areas/protocols/rules.ts'
import { enrol } from '#areas/protocols/server/enrol.ts'
import { findSecret } from '#areas/protocols/server/secret-store.ts'
import { makeSecret } from '#areas/protocols/server/secrets.ts'
import { insertProfile, type ProfileRecord } from '#areas/protocols/server/store.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { attribute } from '#standards/x509/names.ts'
import type { FoundTenancy } from './found.ts'
import type { SubjectKeys } from './keys.ts'

const profilesOf: Record<Protocol, { atOnce: string; approved: string }> = {
  scep: { atOnce: 'Routers and printers', approved: 'Routers of the core, with approval' },
  est: { atOnce: 'Machines in the plant', approved: 'Servers in the plant, with approval' },
  cmp: { atOnce: 'Base stations', approved: 'Base stations, with approval' },
  windows: { atOnce: 'Computers of the offices', approved: 'Servers of the offices, with approval' },
}
const hours = 24 * 30

type Owner = { id: string; username: string }

async function writeProfile(
  tenancy: Tenancy,
  { protocol, name, templateId, owner }: { protocol: Protocol; name: string; templateId: string; owner: Owner },
): Promise<ProfileRecord> {
  const id = randomUUID()
  const profile: ProfileRecord = {
    tenant_id: tenancy.tenantId,
    id,
    public_id: await addPublicAddress(tenancy.db, { tenantId: tenancy.tenantId, kind: addressKind, target: id }),
    protocol,
    name,
    enabled: true,
    template_id: templateId,
    settings: ProfileSettings.parse({}),
    owner_id: owner.id,
    owner_name: owner.username,
    version: 1,
    created_at: tenancy.now,
    updated_at: tenancy.now,
  }
  await insertProfile(tenancy, profile)
  return profile
}

/** People get certificates of their own at Windows, by a password that each makes. */
const offerToPeople = (house: House, tenantId: string, owner: Owner, templateId: string): Promise<void> =>
  house.work(tenantId, { userId: owner.id, name: owner.username }, async ({ tenancy, emitFor }) => {
    const { id, name, protocol } = await writeProfile(tenancy, { protocol: 'windows', name: 'Staff', templateId, owner })
    emitFor(protocolRoom)('profileAdded', { profileId: id, protocol, name }, id)
  })

export async function writeEnrolments(house: House, tenancies: readonly FoundTenancy[], keys: SubjectKeys): Promise<void> {
  for (const { id: tenantId, plan, members, templates } of tenancies) {
    const owner = members.find(({ role }) => role === 'administrator')
    const [approved, atOnce] = [templates.get('TLSServer'), templates.get('Device')]
    if (owner === undefined || approved === undefined || atOnce === undefined) continue
    const personal = templates.get('User')
    if (personal !== undefined) await offerToPeople(house, tenantId, owner, personal.id)
    for (const protocol of protocolNames) {
      const made = await house.work(tenantId, { userId: owner.id, name: owner.username }, async ({ tenancy, emitFor }) => {
        const add = async (name: string, templateId: string) => {
          const profile = await writeProfile(tenancy, { protocol, name, templateId, owner })
          emitFor(protocolRoom)('profileAdded', { profileId: profile.id, protocol, name }, profile.id)
          return profile
        }
        await add(profilesOf[protocol].approved, approved.id)
        const profile = await add(profilesOf[protocol].atOnce, atOnce.id)
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
