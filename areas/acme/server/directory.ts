// What a client reads before it has an account (RFC 8555 7.1.1, 7.2).

import { presentProblem, problemOf } from '#standards/acme/problem.ts'
import { refusePayload, signedByAccount, type Wire, type WireAnswer } from './wire.ts'

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

/** RFC 8555 6.3: what is read by GET may be read by POST-as-GET, too. */
export const bySigned =
  (answer: (wire: Wire) => Promise<WireAnswer>) =>
  async (wire: Wire): Promise<WireAnswer> => {
    refusePayload(await signedByAccount(wire))
    return answer(wire)
  }

/** RFC 8555 6.3: everything else is asked by a signed POST. */
export const askedByGet = async (): Promise<WireAnswer> => ({
  status: 405,
  headers: { allow: 'POST', 'content-type': 'application/problem+json' },
  body: JSON.stringify(presentProblem(problemOf('malformed', 'This address is asked by a signed POST', { status: 405 }))),
})
