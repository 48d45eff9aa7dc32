// The demonstration's passkeys at a provider. The provider is not asked: what it once said stands here, with a mark or two.

import { randomBytes } from 'node:crypto'
import { fidosync } from '#areas/fidosync/contract.ts'
import { findCredential, updateCredential, upsertSeen } from '#areas/fidosync/server/store.ts'
import { findPeople } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy } from './found.ts'

const day = 86_400_000
const models = [
  { model: 'YubiKey 5 NFC', aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', attestation: 'attested', name: 'Blue key' },
  {
    model: 'Microsoft Authenticator on a telephone',
    aaguid: '90a3ccdf-635c-4729-a248-9b709135078f',
    attestation: 'attested',
    name: 'Telephone',
  },
  { model: '', aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', attestation: 'notAttested', name: 'Password manager' },
] as const
const shown = 14
const marked = 2

export async function writeFidoCredentials(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  const now = house.now()
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const others = members.filter((member) => member.activated).slice(0, shown)
    if (administrator === undefined) continue
    const credentials = await withTenancy(house, tenantId, async (tenancy) => {
      const people = await findPeople(
        tenancy.db,
        tenantId,
        others.map(({ id }) => id),
      )
      const seen = people.map((person, at) => {
        const { name, ...model } = models[at % models.length] ?? models[0]
        const isElsewhere = at % 7 === 6
        return {
          ...model,
          credential_id: randomBytes(16).toString('base64url'),
          provider_user_id: `provider-${at}`,
          account: isElsewhere ? `former${at}@example.org` : person.emailAddress,
          user_id: isElsewhere ? null : person.id,
          provider_name: name,
          created_at: new Date(now.getTime() - (20 + chance.below(400)) * day),
        }
      })
      await upsertSeen(tenancy, new Date(now.getTime() - 12 * 60_000), seen)
      return seen
    })
    const actor = { userId: administrator.id, name: administrator.username }
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      for (const { credential_id: credentialId } of credentials.slice(-marked)) {
        const row = await findCredential(tenancy, credentialId)
        if (row === undefined) continue
        await updateCredential(tenancy, row.id, { state: 'marked', marked_at: tenancy.now, marked_by: administrator.username })
        emitFor(fidosync)('marked', { credentialId, ...(row.user_id === null ? {} : { userId: row.user_id }) }, row.id)
      }
    })
  }
}
