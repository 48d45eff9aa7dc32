// The passwords by which people enrol at Windows, each for one certificate of their own. The password of their account would do for a certificate what it does not do
// for signing in: stand alone, without a second factor.

import { personalViewer } from '#areas/certificates/protocols.ts'
import { findTemplate, nameOf, type Template } from '#areas/templates/service.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { protocolRoom } from '../contract.ts'
import { makeSecret } from './secrets.ts'
import { listProfiles, type ProfileRecord } from './store.ts'
import { ownLines } from './windows-lines.ts'
import { isFor, policyIdOf, windowsName } from './windows-policy.ts'
import { addressOf } from './wire.ts'

/** Long enough to go to the machine, and to be answered where somebody must agree. */
const hours = 168

async function offeredTo(tenancy: Tenancy, viewer: Viewer): Promise<{ profile: ProfileRecord; template: Template }[]> {
  // Whoever visits another tenancy is nobody of its people.
  if (viewer.homeTenantId !== tenancy.tenantId) return []
  const offered: { profile: ProfileRecord; template: Template }[] = []
  for (const profile of (await listProfiles(tenancy, 'windows')).filter(({ enabled }) => enabled)) {
    const template = await findTemplate(tenancy.db, tenancy.tenantId, profile.template_id, tenancy.now)
    if (template === undefined || !template.enabled || !isFor(template, 'user')) continue
    const may = await personalViewer(tenancy, { userId: viewer.userId, template, credentialId: profile.id })
    if (may !== undefined) offered.push({ profile, template })
  }
  return offered
}

export const ownPasswordCalls: Pick<Handlers<typeof protocolRoom>, 'ownPasswordChoices' | 'addOwnPassword'> = {
  async ownPasswordChoices(_input, { tenancy, viewer, house }) {
    return {
      profiles: (await offeredTo(tenancy, viewer)).map(({ profile, template }) => ({
        profileId: profile.id,
        name: profile.name,
        template: nameOf(template),
        url: addressOf(house, profile),
      })),
    }
  },

  async addOwnPassword({ profileId }, { tenancy, viewer, house, emit, fault }) {
    const { profile, template } = (await offeredTo(tenancy, viewer)).find((one) => one.profile.id === profileId) ?? fault('missing')
    const by = actorOf(viewer)
    const made = await makeSecret(tenancy, house, { profile, name: by, names: {}, hours, uses: 1, holderId: viewer.userId, by })
    emit('secretAdded', { secretId: made.id, profileId, name: by }, made.id)
    const url = addressOf(house, profile)
    return {
      id: made.id,
      reference: made.reference,
      secret: made.text,
      url,
      expiresAt: made.expiresAt.toISOString(),
      commands: ownLines({
        url,
        policyId: policyIdOf(profile),
        friendlyName: profile.name,
        template: windowsName(template),
        isForMachines: false,
        reference: made.reference,
        secret: made.text,
      }),
    }
  },
}
