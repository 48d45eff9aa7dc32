// A sign-in on its way: begun for one browser, at one provider, answered once within ten minutes.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { linkTo } from '#areas/mail/service.ts'
import { to } from '#core/contract/paths.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { RequestFacts, Respond } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { sso } from '../contract.ts'
import { attemptMilliseconds } from '../rules.ts'
import { ProviderError, type Target } from './client.ts'
import { deleteAttempt, insertAttempt, type AttemptRecord, type ProviderRecord } from './store.ts'

export const bindingCookie = 'chancery-sso'

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

export const redirectUriOf = (house: House, publicId: string): string => linkTo(house, to(sso.screens.portal, { provider: publicId }))

export const sealingPurpose = (providerId: string): string => `sso client secret ${providerId}`

export async function targetOf({ db, tenantId }: Tenancy, house: House, provider: ProviderRecord): Promise<Target> {
  const { secret_sealed: sealed, tenant_key_id: tenantKeyId } = provider
  const secret =
    provider.settings.clientAuthentication === 'none' || sealed === null || tenantKeyId === null
      ? undefined
      : await unsealForTenant(db, house, { tenantId, purpose: sealingPurpose(provider.id), sealed, tenantKeyId })
  return {
    tenantId,
    key: `${provider.id} ${provider.version}`,
    issuer: provider.issuer,
    clientId: provider.client_id,
    clientSecret: secret?.toString('utf8'),
    redirectUri: redirectUriOf(house, provider.public_id),
    userInfo: provider.settings.userInfo,
  }
}

/** One value for all sign-ins of a browser, so that two tabs do not part. */
export function bindBrowser({ cookies }: RequestFacts, respond: Respond): string {
  const known = cookies[bindingCookie] ?? ''
  const value = /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  respond.cookie(bindingCookie, value, { maxAgeSeconds: attemptMilliseconds / 1000 })
  return hashOf(value)
}

export async function addAttempt(
  tenancy: Tenancy,
  provider: Pick<ProviderRecord, 'id' | 'version'>,
  { bindingHash, redirect, tryId }: { bindingHash: string; redirect: string; tryId?: string },
): Promise<string> {
  const { text, hash } = makeTenantSecret('', tenancy.tenantId)
  await insertAttempt(tenancy, {
    state_hash: hash,
    provider_id: provider.id,
    provider_version: provider.version,
    binding_hash: bindingHash,
    redirect,
    try_id: tryId ?? null,
    expires_at: new Date(tenancy.now.getTime() + attemptMilliseconds),
  })
  return text
}

/** Takes the attempt that an answer belongs to, once. Throws a ProviderError where there is none for this browser and this provider. */
export async function takeAttempt(
  tenancy: Tenancy,
  { state, providerId, cookies }: { state: string; providerId: string; cookies: RequestFacts['cookies'] },
): Promise<AttemptRecord | ProviderError> {
  const read = readTenantSecret('', state)
  const attempt = read?.tenantId === tenancy.tenantId ? await deleteAttempt(tenancy, read.hash) : undefined
  if (attempt === undefined || attempt.expires_at <= tenancy.now) return new ProviderError('state', '')
  const bound = Buffer.from(hashOf(cookies[bindingCookie] ?? ''))
  if (!timingSafeEqual(bound, Buffer.from(attempt.binding_hash))) return new ProviderError('binding', '')
  return attempt.provider_id === providerId
    ? attempt
    : new ProviderError('mixUp', say`The address of the answer is that of another provider`)
}
