// The OCSP responder. An answer without a nonce is signed once and kept in memory, found again by the very bytes of the request. It is cached under
// a lease that a revocation takes back before it is answered (cache-lease.ts), as is an answer that was being signed meanwhile. What is known of an authority
// is in ocsp-authorities.ts, how an answer is made in ocsp-answers.ts.

import type { House } from '#core/server/house.ts'
import { DerError } from '#standards/der/reader.ts'
import { hasNonce, readPlainOcspRequest } from '#standards/ocsp/plain.ts'
import { parseOcspRequest, type OcspRequest } from '#standards/ocsp/request.ts'
import { ocspErrorResponse, type OcspErrorStatus } from '#standards/ocsp/response.ts'
import { X509Error } from '#standards/x509/error.ts'
import { answerCacheMilliseconds, ocspSigningAtOnce } from '../rules.ts'
import { isOf, keepIn, keyOf, makeAnswer, plainAnswer } from './ocsp-answers.ts'
import { openServedAuthorities, type Made, type OcspAnswer, type ServedAuthority } from './ocsp-authorities.ts'

export type { OcspAnswer } from './ocsp-authorities.ts'

export type Responder = {
  /**
   * The answer where nothing must be waited for: it is in memory, or the request is plain and has a nonce, the status is known and the key quick. Its bytes
   * are to be copied before anything else is asked.
   */
  withoutWaiting(publicId: string, request: Buffer): OcspAnswer | undefined
  /** What is in memory by the path of a GET, where it was noted that it means a request. */
  cachedByPath(publicId: string, path: string): OcspAnswer | undefined
  foundByPath(publicId: string, path: string, request: Buffer): void
  /** Always an OCSPResponse; never throws. */
  answer(publicId: string, request: Buffer): Promise<OcspAnswer>
}

const errorAnswer = (status: OcspErrorStatus): OcspAnswer => ({ bytes: ocspErrorResponse(status), about: undefined, signature: undefined })
/** No request begins so: the first byte of one is 0x30. */
const pathKey = (path: string): string => `/${path}`
/** Longer ones are not from clients that many others resemble. */
const longestCached = 512

export function openResponder(house: House): Responder {
  const authorities = openServedAuthorities(house)
  const sign = openSigning(house)

  return { withoutWaiting, cachedByPath, foundByPath, answer }

  function cachedByPath(publicId: string, path: string): OcspAnswer | undefined {
    return stillCached(authorities.fresh(publicId), pathKey(path))
  }

  function foundByPath(publicId: string, path: string, request: Buffer): void {
    const authority = authorities.lastRead(publicId)
    const known = authority?.answers.get(keyOf(request))
    if (authority !== undefined && known !== undefined && path.length <= 2 * longestCached) keepIn(authority.answers, pathKey(path), known)
  }

  function withoutWaiting(publicId: string, bytes: Buffer): OcspAnswer | undefined {
    const authority = authorities.fresh(publicId)
    if (authority === undefined) return undefined
    const plain = readPlainOcspRequest(bytes, authority.plain.issuers)
    return plain === undefined || !hasNonce(plain)
      ? stillCached(authority, keyOf(bytes))
      : plainAnswer(authority, bytes, plain, house.now())
  }

  async function answer(publicId: string, bytes: Buffer): Promise<OcspAnswer> {
    try {
      const authority = await authorities.read(publicId)
      const ready = withoutWaiting(publicId, bytes)
      if (ready !== undefined) return { ...ready, bytes: Buffer.from(ready.bytes) }
      const request = parseOcspRequest(bytes)
      return authority === undefined ? errorAnswer('unauthorized') : await respond(sign, authority, request, bytes)
    } catch (error) {
      if (error instanceof DerError || error instanceof X509Error) return errorAnswer('malformedRequest')
      house.log.error({ error }, 'an OCSP request could not be answered')
      return errorAnswer('tryLater')
    }
  }
}

type Sign = (authority: ServedAuthority, request: OcspRequest) => Promise<Made>

/** Signs so many answers at the same time and no more: whoever comes then is asked to try later. */
function openSigning(house: House): Sign {
  let signingNow = 0
  return async (authority, request) => {
    if (signingNow >= ocspSigningAtOnce) return { answer: errorAnswer('tryLater'), lasting: false }
    signingNow += 1
    try {
      return await makeAnswer(house, authority, request)
    } finally {
      signingNow -= 1
    }
  }
}

async function respond(sign: Sign, authority: ServedAuthority, request: OcspRequest, bytes: Buffer): Promise<OcspAnswer> {
  if (!request.certIds.some((certId) => isOf(authority, certId))) return errorAnswer('unauthorized')
  if (request.nonce !== undefined) return (await sign(authority, request)).answer

  const key = request.certIds.map(({ encoded }) => Buffer.from(encoded).toString('base64')).join(' ')
  // Who comes after a revocation does not wait for a signature that was begun before it.
  const begun = authority.lease?.valid === true ? authority.signing.get(key) : undefined
  const together = begun ?? sign(authority, request)
  authority.signing.set(key, together)
  try {
    const { answer: made, lasting } = await together
    if (lasting && authority.lease?.valid === true && bytes.length <= longestCached) keep(authority, bytes, made)
    return made
  } finally {
    if (authority.signing.get(key) === together) authority.signing.delete(key)
  }
}

function keep({ answers, settings }: ServedAuthority, request: Buffer, made: OcspAnswer): void {
  keepIn(answers, keyOf(request), { answer: made, until: performance.now() + answerCacheMilliseconds(settings) })
}

/** Gives what is kept where it has not stood too long. */
function stillCached(authority: ServedAuthority | undefined, key: string): OcspAnswer | undefined {
  const known = authority?.answers.get(key)
  return known !== undefined && performance.now() < known.until ? known.answer : undefined
}
