// Tokens of service accounts: which are read at all, and for which tenancy they are.

import * as z from 'zod'
import { readJson } from '#standards/json/read.ts'

/** A token names the tenancy in its audience, so that no table of all tenancies is asked before anything is verified. */
export const audienceOf = (tenantId: string): string => `chancery:${tenantId}`

const audience = /^chancery:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export const tenancyOfAudience = (said: unknown): string | undefined => {
  const list: unknown[] = Array.isArray(said) ? said : [said]
  return list.flatMap((one) => (typeof one === 'string' ? (audience.exec(one)?.[1] ?? []) : []))[0]
}

/** Only those with a pair of keys: a shared secret would let the cluster's readers make tokens. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const KeySet = z.object({
  keys: z
    .array(z.looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']) }))
    .min(1)
    .max(50),
})

/** The public keys of a cluster as its `/openid/v1/jwks` gives them; undefined where they are none, or hold a private part. */
export function readKeySet(text: string): z.infer<typeof KeySet> | undefined {
  try {
    const read = KeySet.safeParse(readJson(text))
    return read.success && read.data.keys.every((key) => !('d' in key)) ? read.data : undefined
  } catch {
    return undefined
  }
}
