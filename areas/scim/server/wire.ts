// How SCIM refuses and answers (RFC 7644 3.12).

import { Fault } from '#core/server/fault.ts'
import type { EndpointAnswer } from '#core/server/serve.ts'
import type { Resource } from '#standards/scim/patch.ts'
import { schemaOf } from '../rules.ts'

const statuses = {
  invalidFilter: 400,
  invalidSyntax: 400,
  invalidPath: 400,
  invalidValue: 400,
  noTarget: 400,
  mutability: 400,
  tooMany: 400,
  uniqueness: 409,
  /** Ours: the protocol has no words for these. */
  missing: 404,
  forbidden: 403,
  precondition: 412,
  unsupported: 501,
} as const
export type ScimType = keyof typeof statuses

const ofProtocol: ReadonlySet<string> = new Set([
  'invalidFilter',
  'invalidSyntax',
  'invalidPath',
  'invalidValue',
  'noTarget',
  'mutability',
  'tooMany',
  'uniqueness',
])

export const refuse = (type: ScimType, says: string): never => {
  throw new Fault(type, { status: statuses[type], says })
}

const contentType = { 'content-type': 'application/scim+json; charset=utf-8' } as const

export const presentFault = ({ status, code, message }: Pick<Fault, 'status' | 'code' | 'message'>): EndpointAnswer & { body: string } => ({
  status,
  headers: { ...contentType, ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) },
  body: JSON.stringify({
    schemas: [schemaOf.error],
    status: String(status),
    ...(ofProtocol.has(code) ? { scimType: code } : {}),
    detail: message,
  }),
})

export function answer(
  resource: Resource,
  { status = 200, etag, location }: { status?: number; etag?: string; location?: string } = {},
): EndpointAnswer {
  return {
    status,
    headers: {
      ...contentType,
      ...(etag === undefined ? {} : { etag }),
      ...(location === undefined ? {} : { location }),
    },
    body: JSON.stringify(resource),
  }
}

export const emptyAnswer = (status: number, etag?: string): EndpointAnswer => ({
  status,
  headers: etag === undefined ? {} : { etag },
  body: '',
})
