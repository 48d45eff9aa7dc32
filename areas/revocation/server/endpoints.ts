// The doors without a session: the lists and the responder. Whoever verifies a certificate knocks here, with any software, so every
// answer is one of the protocol's own, and nothing that comes in can cost much.

import { hash } from 'node:crypto'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandlers, EndpointRequest, ShortAnswer } from '#core/server/serve.ts'
import { DerError } from '#standards/der/reader.ts'
import { decodeOcspGetPath, OCSP_MAX_REQUEST_BYTES } from '#standards/ocsp/request.ts'
import { ocspErrorResponse } from '#standards/ocsp/response.ts'
import type { revocation } from '../contract.ts'
import { addressKind, crlMaxAge, deltaList, ocspCachedSeconds, wholeList } from '../rules.ts'
import { makeCrl, publishSoon } from './crl.ts'
import { bytesOf, currentCrl } from './list-files.ts'
import { openResponder, type OcspAnswer, type Responder } from './ocsp.ts'

const responders = new WeakMap<House, Responder>()

function responderOf(house: House): Responder {
  const responder = responders.get(house) ?? openResponder(house)
  responders.set(house, responder)
  return responder
}

export const publicEndpoints: EndpointHandlers<typeof revocation> = {
  crl: { handle: giveCrl },
  crlPart: { handle: giveCrl },
  ocspPost: { bodyLimit: OCSP_MAX_REQUEST_BYTES, shortWay: answerPostShort, handle: answerPost },
  ocspGet: { shortWay: cachedGet, handle: answerGet },
  ocspEmptyGet: { handle: answerGet },
}

const noList: EndpointAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'There is no revocation list at this address.\n',
}

/** `0007` is a part, `delta` the delta; no name is the whole. */
function partOf(name: string | undefined): number | undefined {
  if (name === undefined) return wholeList
  if (name === 'delta') return deltaList
  return /^(?!0000)[0-9]{4}$/.test(name) ? Number(name) : undefined
}

async function giveCrl({ params, house, now, raw }: EndpointRequest): Promise<EndpointAnswer> {
  const part = partOf(params['part'])
  const address = part === undefined ? undefined : await findPublicAddress(house.database, addressKind, params['publicId'] ?? '')
  if (part === undefined || address === undefined) return noList
  const { tenantId, target: caId } = address
  const wanted = { tenantId, caId, part }
  let list = await currentCrl(house, wanted)
  if (list === undefined) {
    // A young authority, or a part, that nobody has asked for yet.
    await makeCrl(house, wanted)
    list = await currentCrl(house, wanted)
  }
  if (list === undefined) return noList
  if (list.next_update.getTime() <= now.getTime()) publishSoon(house, tenantId, caId)
  const etag = `"${list.etag}"`
  const maxAge = crlMaxAge(list.next_update, now)
  const headers = {
    'content-type': 'application/pkix-crl',
    'cache-control': `public, max-age=${maxAge}`,
    etag,
    'last-modified': list.this_update.toUTCString(),
    expires: new Date(now.getTime() + maxAge * 1000).toUTCString(),
  }
  const known = (raw.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  const same = known.includes(etag) || known.includes('*')
  return same
    ? { status: 304, headers, body: '' }
    : { headers: { ...headers, 'content-length': String(list.bytes) }, body: bytesOf(house, list) }
}

const ocsp = { 'content-type': 'application/ocsp-response' }
const uncached = { ...ocsp, 'cache-control': 'no-store' }

/** RFC 5019 6.2: what a GET was answered with may be kept by those between, for a short while. */
function cachedAnswer({ bytes, about, signature = new Uint8Array() }: OcspAnswer, now: Date): ShortAnswer {
  if (about === undefined) return { headers: uncached, body: bytes }
  const headers = {
    ...ocsp,
    'cache-control': `max-age=${ocspCachedSeconds}, public, no-transform, must-revalidate`,
    'last-modified': about.toUTCString(),
    expires: new Date(now.getTime() + ocspCachedSeconds * 1000).toUTCString(),
    // Hashed, because a post-quantum signature is longer than the headers that clients read.
    etag: `"${hash('sha256', signature, 'base64url')}"`,
  }
  return { headers, body: bytes }
}

/** `path` is the public id alone; anything else goes the usual way. */
function answerPostShort({
  path,
  body,
  house,
}: {
  path: string
  body: Buffer
  house: House
}): ShortAnswer | Promise<ShortAnswer> | undefined {
  if (!/^[\w-]+$/.test(path)) return undefined
  const responder = responderOf(house)
  const answer = responder.withoutWaiting(path, body)
  return answer === undefined
    ? responder.answer(path, body).then(({ bytes }) => ({ headers: uncached, body: bytes }))
    : { headers: uncached, body: answer.bytes }
}

/** `path` is the public id, a slash and the request as this client writes it. */
function cachedGet({ path, house }: { path: string; house: House }): ShortAnswer | undefined {
  const slash = path.indexOf('/')
  const answer = responderOf(house).cachedByPath(path.slice(0, slash), path.slice(slash + 1))
  return answer && cachedAnswer(answer, house.now())
}

async function answerPost({ params, house, body }: EndpointRequest): Promise<EndpointAnswer> {
  const sent = await body().catch(() => undefined)
  // Too long, or broken off: what is left of it is not read.
  if (sent === undefined) return { headers: { ...uncached, connection: 'close' }, body: ocspErrorResponse('malformedRequest') }
  const request = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  return { headers: uncached, body: (await responderOf(house).answer(params['publicId'] ?? '', request)).bytes }
}

async function answerGet({ params, house, url, now }: EndpointRequest): Promise<EndpointAnswer> {
  const publicId = params['publicId'] ?? ''
  // Not the router's parameter: it has lost a slash at the end, which Base64 may have.
  const path = url.pathname.split('/').slice(4).join('/')
  try {
    const request = Buffer.from(decodeOcspGetPath(path))
    const responder = responderOf(house)
    const answer = await responder.answer(publicId, request)
    responder.foundByPath(publicId, path, request)
    return cachedAnswer(answer, now)
  } catch (error) {
    if (error instanceof DerError) return { headers: uncached, body: ocspErrorResponse('malformedRequest') }
    throw error
  }
}
