// What a client reads before it has an account (RFC 8555 7.1.1, 7.2).

import type { Wire, WireAnswer } from './wire.ts'

export async function directory({ base, directory: { settings } }: Wire): Promise<WireAnswer> {
  const { website, termsOfService, caaIdentities, eabRequired, profiles, renewalInformation } = settings
  return {
    headers: { 'cache-control': 'public, max-age=0, no-cache' },
    body: {
      newNonce: `${base}/new-nonce`,
      newAccount: `${base}/new-account`,
      newOrder: `${base}/new-order`,
      newAuthz: `${base}/new-authz`,
      revokeCert: `${base}/revoke-cert`,
      keyChange: `${base}/key-change`,
      ...(renewalInformation ? { renewalInfo: `${base}/renewal-info` } : {}),
      meta: {
        ...(termsOfService === '' ? {} : { termsOfService }),
        ...(website === '' ? {} : { website }),
        ...(caaIdentities.length === 0 ? {} : { caaIdentities }),
        externalAccountRequired: eabRequired,
        profiles: Object.fromEntries(profiles.map(({ name, description }) => [name, description || name])),
      },
    },
  }
}

/** The nonce is in the headers, as in every answer. */
export const newNonce = async ({ request }: Wire): Promise<WireAnswer> => ({ status: request.method === 'HEAD' ? 200 : 204 })
