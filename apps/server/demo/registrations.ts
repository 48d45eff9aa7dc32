// The demonstration's registrations: each tenancy lets people ask for an account, a few wait, and some were decided.

import { registration } from '#areas/registration/contract.ts'
import type { RegistrationState } from '#areas/registration/rules.ts'
import { insertRegistration, updateSettings } from '#areas/registration/server/store.ts'
import { emailKey } from '#areas/users/service.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const hour = 3_600_000

type Story = { givenName: string; familyName: string; at: string; hours: number; state: RegistrationState }

const stories: readonly Story[] = [
  { givenName: 'Noor', familyName: 'Haddad', at: 'noor.haddad@contractors.example', hours: 3, state: 'waiting' },
  { givenName: 'Tomás', familyName: 'Rivera', at: 't.rivera@depot-works.example', hours: 26, state: 'waiting' },
  { givenName: 'Win', familyName: 'Aung', at: 'win.aung@mail.example', hours: 50, state: 'waiting' },
  { givenName: 'Total', familyName: 'Bargain', at: 'offers@cheap-certificates.example', hours: 75, state: 'denied' },
]

export async function writeRegistrations(house: House, tenancies: readonly FoundTenancy[]): Promise<void> {
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    if (administrator === undefined) continue
    const actor = { userId: administrator.id, name: administrator.username }
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      await updateSettings(tenancy, { mode: 'approval', code: makeTenantSecret('', tenantId).text })
      emitFor(registration)('settingsChanged', { mode: 'approval', roles: [] })
    })
    for (const { givenName, familyName, at, hours, state } of stories) {
      const asked = new Date(house.now().getTime() - hours * hour)
      await houseAt(house, asked).work(tenantId, { name: 'Visitor (registration)' }, async ({ tenancy, emitFor }) => {
        const id = timeOrderedId(asked)
        await insertRegistration(tenancy, {
          tenant_id: tenantId,
          id,
          email_key: emailKey(at),
          email_address: at,
          given_name: givenName,
          family_name: familyName,
          state,
          by_link: true,
          token_hash: null,
          asked_at: asked,
          expires_at: new Date(asked.getTime() + 24 * hour),
          verified_at: asked,
          decided_at: state === 'denied' ? new Date(asked.getTime() + hour) : null,
          decided_by: state === 'denied' ? administrator.username : '',
          user_id: null,
          network: '',
        })
        emitFor(registration)('waits', { registrationId: id }, id)
        if (state === 'denied') emitFor(registration)('denied', { registrationId: id }, id)
      })
    }
  }
}
