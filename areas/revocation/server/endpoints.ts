// The doors without a session: the lists and the responder. Whoever verifies a certificate knocks here, with any software, so every
// answer is one of the protocol's own, and nothing that comes in can cost much.

import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Endpoint, EndpointAnswer, EndpointRequest } from '#core/server/serve.ts'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { DerError } from '#standards/der/reader.ts'
import { decodeOcspGetPath, OCSP_MAX_REQUEST_BYTES } from '#standards/ocsp/request.ts'
import { ocspErrorResponse } from '#standards/ocsp/response.ts'
import { addressKind, crlMaxAge } from '../rules.ts'
import { makeCrl, publishSoon } from './crl.ts'
import { openResponder, type Responder } from './ocsp.ts'
import { latestSignedCrl } from './store.ts'

const responders = new WeakMap<House, Responder>()

function responderOf(house: House): Responder {
  const responder = responders.get(house) ?? openResponder(house)
  responders.set(house, responder)
  return responder
}

export const publicEndpoints: readonly Endpoint[] = [
  { name: 'crl', method: 'GET', path: '/pki/crl/:publicId.crl', needs: 'public', handle: giveCrl },
  { name: 'ocspPost', method: 'POST', path: '/pki/ocsp/:publicId', needs: 'public', bodyLimit: OCSP_MAX_REQUEST_BYTES, handle: answerPost },
  { name: 'ocspGet', method: 'GET', path: '/pki/ocsp/:publicId/*', needs: 'public', handle: answerGet },
]

const noList: EndpointAnswer = { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'There is no revocation list at this address.\n' }

async function giveCrl({ params, house, now, raw }: EndpointRequest): Promise<EndpointAnswer> {
  const address = await findPublicAddress(house.database, addressKind, params['publicId'] ?? '')
  if (address === undefined) return noList
  const { tenantId, target: caId } = address
  const read = () => inTenant(house.database, tenantId, (db) => latestSignedCrl(db, tenantId, caId))
  let list = await read()
  if (list === undefined) {
    // A young authority that nobody has asked yet.
    await makeCrl(house, tenantId, caId)
    list = await read()
  }
  if (list?.der === undefined || list.der === null) return noList
  if (list.next_update.getTime() <= now.getTime()) publishSoon(house, tenantId, caId)
  const etag = `"${list.etag ?? ''}"`
  const headers = {
    'content-type': 'application/pkix-crl',
    'cache-control': `public, max-age=${crlMaxAge(list.next_update, now)}`,
    etag,
    'last-modified': list.this_update.toUTCString(),
    expires: new Date(now.getTime() + crlMaxAge(list.next_update, now) * 1000).toUTCString(),
  }
  const known = (raw.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return known.includes(etag) ? { status: 304, headers, body: '' } : { headers, body: list.der }
}

const ocsp = (body: Uint8Array): EndpointAnswer => ({ headers: { 'content-type': 'application/ocsp-response', 'cache-control': 'no-cache' }, body })

async function answerPost({ params, house, body }: EndpointRequest): Promise<EndpointAnswer> {
  const request = await body().catch(() => undefined)
  // Too long, or broken off: what is left of it is not read.
  if (request === undefined) return { headers: { 'content-type': 'application/ocsp-response', connection: 'close' }, body: ocspErrorResponse('malformedRequest') }
  return ocsp(await responderOf(house).answer(params['publicId'] ?? '', request))
}

async function answerGet({ params, house, url }: EndpointRequest): Promise<EndpointAnswer> {
  const publicId = params['publicId'] ?? ''
  // Not the router's parameter: it has lost a slash at the end, which Base64 may have.
  const path = url.pathname.split('/').slice(4).join('/')
  try {
    return ocsp(await responderOf(house).answer(publicId, decodeOcspGetPath(path)))
  } catch (error) {
    if (error instanceof DerError) return ocsp(ocspErrorResponse('malformedRequest'))
    throw error
  }
}
