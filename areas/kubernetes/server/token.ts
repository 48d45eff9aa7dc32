// The token of a service account: judged by the keys of its cluster, for the tenancy that its audience names. Nothing is asked of the cluster.

import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from 'jose'
import { viewerOfApplication } from '#areas/applications/service.ts'
import type { Bearer } from '#areas/sessions/bearers.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { algorithms, audienceOf, tenancyOfAudience } from '../rules.ts'
import { findClusterOf, type ClusterRecord } from './store.ts'

type Claims = { iss?: string; sub?: string; aud?: string | string[]; exp?: number }

/** What a token says of itself, before anything of it is believed; undefined where it is none. */
export function readClaims(token: string): Claims | undefined {
  try {
    return decodeJwt(token)
  } catch {
    return undefined
  }
}

export type Judged = { cluster: ClusterRecord } | { refused: string }

/** `refused`: why, for those who configure clusters; whoever sends the token hears 401 and no reason. */
export async function judgeToken(tenancy: Tenancy, token: string): Promise<Judged> {
  const claims = readClaims(token)
  if (claims === undefined) return { refused: 'This is no token of a service account' }
  if (tenancyOfAudience(claims.aud) !== tenancy.tenantId)
    return { refused: `The audience of the token is not ${audienceOf(tenancy.tenantId)}` }
  const cluster = await findClusterOf(tenancy, claims.iss ?? '')
  if (cluster === undefined) return { refused: 'No cluster here has the issuer of the token' }
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(cluster.key_set), {
      issuer: cluster.issuer,
      audience: audienceOf(tenancy.tenantId),
      algorithms,
      currentDate: tenancy.now,
      requiredClaims: ['sub', 'exp'],
    })
    if (!cluster.subjects.includes(payload.sub ?? '')) return { refused: 'The service account is not among those that the cluster lets in' }
    return { cluster }
  } catch (error) {
    return { refused: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The cluster has no such key: paste its keys again'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature is not of the cluster'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token does not hold`
  return 'The token could not be verified'
}

export const readBearer: Bearer = async (text, { address }, house) => {
  // Three parts; what is no such token costs nothing.
  if (text.length > 20_000 || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined
  const tenantId = tenancyOfAudience(readClaims(text)?.aud)
  if (tenantId === undefined) return undefined
  return withTenancy(house, tenantId, async (tenancy) => {
    const judged = await judgeToken(tenancy, text)
    return 'refused' in judged
      ? undefined
      : viewerOfApplication(tenancy, judged.cluster.application_id, { address, credentialId: judged.cluster.id })
  })
}
