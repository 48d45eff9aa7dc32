// Problem documents of ACME (RFC 8555 6.7, RFC 7807): what went wrong, for the program that asked. One table has every type with its usual status, because a
// second list drifts from the first.

import { storable } from '../storable/storable.ts'

/** The types of RFC 8555 6.7 and of its extensions, with the status that goes with each. */
export const problemTypes = {
  accountDoesNotExist: 400,
  alreadyReplaced: 409,
  alreadyRevoked: 400,
  badAttestationStatement: 400,
  badCSR: 400,
  badNonce: 400,
  badPublicKey: 400,
  badRevocationReason: 400,
  badSignatureAlgorithm: 400,
  caa: 403,
  compound: 403,
  connection: 400,
  dns: 400,
  externalAccountRequired: 403,
  incorrectResponse: 403,
  invalidContact: 400,
  invalidProfile: 400,
  malformed: 400,
  orderNotReady: 403,
  rateLimited: 429,
  rejectedIdentifier: 400,
  serverInternal: 500,
  tls: 400,
  unauthorized: 403,
  unsupportedContact: 400,
  unsupportedIdentifier: 400,
  userActionRequired: 403,
} as const

export type ProblemType = keyof typeof problemTypes
export type AcmeIdentifier = { type: string; value: string }

/** A problem as it is kept and told. `identifier`: what a subproblem is about. */
export type Problem = {
  type: ProblemType
  detail: string
  status: number
  identifier?: AcmeIdentifier
  subproblems?: Problem[]
  /** Of badSignatureAlgorithm: what may be used (RFC 8555 6.2). */
  algorithms?: readonly string[]
}

const prefix = 'urn:ietf:params:acme:error:'

/** Refuses a request of the protocol. The server answers with its problem document. */
export class AcmeError extends Error {
  override name = 'AcmeError'
  readonly problem: Problem
  constructor(type: ProblemType, detail: string, more: Partial<Omit<Problem, 'type' | 'detail'>> = {}, options?: ErrorOptions) {
    super(detail, options)
    this.problem = problemOf(type, detail, more)
  }
}

export const problemOf = (type: ProblemType, detail: string, more: Partial<Omit<Problem, 'type' | 'detail'>> = {}): Problem => ({
  type,
  detail,
  status: problemTypes[type],
  ...more,
})

/** Presents a problem as the JSON of the wire. A subproblem has no status of its own. */
export function presentProblem({ type, detail, status, identifier, subproblems, algorithms }: Problem): Record<string, unknown> {
  return {
    type: `${prefix}${type}`,
    detail,
    status,
    ...(identifier === undefined ? {} : { identifier }),
    ...(algorithms === undefined ? {} : { algorithms }),
    ...(subproblems === undefined ? {} : { subproblems: subproblems.map((one) => ({ ...presentProblem(one), status: undefined })) }),
  }
}

/** Reads the problem document of another server: for a client. A type that has no name here is taken as `serverInternal`, with its own words. */
export function readProblem(document: unknown, status: number): Problem {
  const { type, detail } = isObject(document) ? document : {}
  const name = typeof type === 'string' && type.startsWith(prefix) ? type.slice(prefix.length) : ''
  const says = typeof detail === 'string' && detail !== '' ? detail : `The server answered ${status} without a reason`
  return { type: Object.hasOwn(problemTypes, name) ? (name as ProblemType) : 'serverInternal', detail: storable(says, 2000), status }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
