// Who asks with a secret of an application: its account, within its scopes, from its networks, until its end.

import type { Bearer } from '#areas/sessions/bearers.ts'
import { programRights } from '#areas/users/rights.ts'
import { readAddress, readNetworks } from '#core/server/outward/addresses.ts'
import { readTenantSecret } from '#core/server/secrets.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { secretPrefix } from '../rules.ts'
import { findApplication, findSecret, updateUse } from './store.ts'

type Known = { viewer: Viewer; endsAt: Date | undefined; networks: readonly string[] }

const minute = 60_000

export const readBearer: Bearer = async (text, { address }, house, now) => {
  const found = readTenantSecret(secretPrefix, text)
  if (found === undefined) return undefined
  // A program asks hundreds of times a second with the same secret. What is remembered is forgotten with the next commit that changes something.
  const known = await house.cache.get(`application ${found.tenantId} ${found.hash}`, () =>
    withTenancy(house, found.tenantId, async (tenancy): Promise<Known | undefined> => {
      const { db, tenantId } = tenancy
      const secret = await findSecret(tenancy, found.hash)
      const application = secret && (await findApplication(tenancy, secret.application_id))
      const rights = application && (await programRights(db, tenantId, application.id))
      if (secret === undefined || application === undefined || rights === undefined) return undefined
      const ends = [secret.ends_at, application.ends_at].flatMap((at) => (at === null ? [] : [at.getTime()]))
      const endsAt = ends.length === 0 ? undefined : new Date(Math.min(...ends))
      if ((endsAt === undefined || endsAt > now) && isWithin(application.networks, address))
        // Written at most once a minute: it is for people to see, not an audit.
        if (secret.last_used_at === null || now.getTime() - secret.last_used_at.getTime() > minute)
          await updateUse(tenancy, secret, address)
      return {
        viewer: {
          userId: application.id,
          username: rights.person.username,
          tenantId,
          homeTenantId: tenantId,
          permission: rights.permission,
          narrowed: true,
          via: 'token',
          credentialId: secret.id,
        },
        endsAt,
        networks: application.networks,
      }
    }),
  )
  if (known === undefined || (known.endsAt !== undefined && known.endsAt <= now)) return undefined
  return isWithin(known.networks, address) ? known.viewer : undefined
}

export function isWithin(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true
  const known = readAddress(address)
  return known !== undefined && readNetworks(networks)?.check(known.text, known.family === 4 ? 'ipv4' : 'ipv6') === true
}
