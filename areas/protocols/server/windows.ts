// Enrolment of Windows: which templates there are (MS-XCEP), and certificates of them (MS-WSTEP). A client shows the name and the password of a secret, or a
// certificate of the profile: at the listener for certificates, or by signing the request with it. Every answer is SOAP, refusals among them.

import { createHash } from 'node:crypto'
import { refusal } from '#areas/authorities/refusals.ts'
import type { Certificate as KnownCertificate } from '#areas/certificates/service.ts'
import { certificateOfProxy, type CertificateDoor, type ShownRequest } from '#areas/mtls/service.ts'
import type { Entity } from '#areas/templates/rules.ts'
import { findTemplate } from '#areas/templates/service.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandler } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { readEnvelope, SoapFault, writeEnvelope, writeFault, type Envelope } from '#standards/soap/soap.ts'
import { readGetPolicies, writePolicies, XCEP_ACTION, XCEP_ANSWER } from '#standards/wstep/policies.ts'
import { templateOid } from '#standards/wstep/template-oid.ts'
import {
  openToken,
  readTokenRequest,
  TokenError,
  writeErrorDetail,
  writeIssued,
  writePending,
  WSTEP_ACTION,
  WSTEP_ANSWER,
  type OpenedToken,
  type WSTEP_ERRORS,
} from '#standards/wstep/tokens.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import type { Written } from '#standards/xml/write.ts'
import { protocolRoom } from '../contract.ts'
import { secretState } from '../rules.ts'
import { enrol, keyHashOf, refuse, secretEnded, settle, type Attempt, type Outcome, type Refused } from './enrol.ts'
import { certificateToRenew } from './renewing.ts'
import { findSecretByHash } from './secret-store.ts'
import type { SecretRecord, TransactionRecord } from './store.ts'
import { findTransactionByKey } from './transaction-store.ts'
import { enrolAddress, policyFor, windowsName } from './windows-policy.ts'
import { countRequest, countWrongBeside, countWrongSecret, faultAnswer, hashOf, noStore, openDoor, plainAnswer, type Door } from './wire.ts'

const mostBytes = 128 * 1024

/** One message, whichever way it came. `shown`: a certificate whose key TLS has proven. */
type Asked = { door: Door; envelope: Envelope; shown: Certificate | undefined }
type Operation = { action: string; answer: string; give(asked: Asked): Promise<Written> }
type Place = { house: House; params: Record<string, string>; facts: { id: string; address: string }; now: Date }

const soapAnswer = (status: number, body: string): EndpointAnswer => ({
  status,
  headers: { ...noStore, 'content-type': 'application/soap+xml; charset=utf-8', 'content-length': String(Buffer.byteLength(body)) },
  body,
})

/** Not 400, which SOAP has for it: cepces looks for a fault in nothing else. */
const faultStatus = 500

async function serveWindows(
  operation: Operation,
  place: Place,
  { shown, body }: { shown: Uint8Array | undefined; body(): Promise<Uint8Array> },
): Promise<EndpointAnswer> {
  let messageId: string | undefined
  try {
    const door = await openDoor(place, 'windows')
    if (door === undefined) return plainAnswer(404, 'There is no enrolment server of Windows at this address')
    await countRequest(door)
    const envelope = readEnvelope(await body())
    ;({ messageId } = envelope)
    if (envelope.action !== operation.action) throw new SoapFault('This action is not answered at this address')
    const content = await operation.give({ door, envelope, shown: readShown(shown) })
    return soapAnswer(200, writeEnvelope({ action: operation.answer, messageId, content }))
  } catch (error) {
    return error instanceof SoapFault ? soapAnswer(faultStatus, writeFault(error, messageId)) : faultAnswer(error, place)
  }
}

function readShown(der: Uint8Array | undefined): Certificate | undefined {
  try {
    return der === undefined || der.length === 0 ? undefined : parseCertificate(der)
  } catch (error) {
    if (error instanceof DerError || error instanceof X509Error) return undefined
    throw error
  }
}

const notSignedIn = (says: string): SoapFault => new SoapFault(says, 'Sender', 'FailedAuthentication', writeErrorDetail('access'))

/**
 * The secret whose password was sent; undefined where none was. A wrong one counts against the profile. One that is used up still lets ask, because Windows asks
 * again and again; one that somebody ended does not. The name says nothing that the password does not.
 */
async function secretOf({ door, envelope: { token } }: Asked): Promise<SecretRecord | undefined> {
  if (token === undefined) return undefined
  const { house, tenantId, profile } = door
  const secret = await withTenancy(house, tenantId, (tenancy) => findSecretByHash(tenancy, profile.id, hashOf(token.password)))
  if (secret === undefined) {
    await countWrongSecret(door)
    throw notSignedIn(secretEnded)
  }
  const { uses_left: usesLeft, expires_at: expiresAt, ended_at: endedAt } = secret
  const state = secretState({ usesLeft: usesLeft ?? undefined, expiresAt, endedAt: endedAt ?? undefined }, door.now)
  if (state !== 'active' && state !== 'used') throw notSignedIn(secretEnded)
  return secret
}

const entityOf = (holderId: string | null | undefined): Entity => (holderId === null || holderId === undefined ? 'device' : 'user')

async function policies(asked: Asked): Promise<Written> {
  const { door, envelope, shown } = asked
  readGetPolicies(envelope.content)
  const secret = await secretOf(asked)
  let entity: Entity
  if (secret !== undefined) entity = entityOf(secret.holder_id)
  else {
    if (shown === undefined) throw notSignedIn('Show the name and the password of a secret, or your certificate')
    const renews = await certificateToRenew(door, shown)
    if (typeof renews === 'string') throw notSignedIn(renews)
    entity = entityOf(renews.holderUserId)
  }
  const policy = await policyFor(door, entity)
  if (policy === undefined) throw refusedBy(notOffered, 'template')
  return writePolicies(policy)
}

/** Clients keep it with a request that waits, and ask by it. They hold it in 32 bits, with a sign or without. */
function requestNumber(asker: string, request: Uint8Array, turn = 0): string {
  const digest = createHash('sha256').update(`${asker} ${turn}\0`).update(request).digest()
  return String(digest.readUInt32BE(0) & 0x7fff_ffff)
}

/** So few bits meet now and then: the next number is taken then, the same one for the same request. */
async function freeNumber({ house, tenantId, profile }: Door, asker: string, { csr }: OpenedToken): Promise<string> {
  const keyHash = keyHashOf(csr.publicKey.spki)
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const key = requestNumber(asker, csr.encoded, turn)
    const found = await withTenancy(house, tenantId, (tenancy) => findTransactionByKey(tenancy, profile.id, key))
    if (found === undefined || found.key_hash === '' || found.key_hash === keyHash) return key
  }
  return requestNumber(asker, csr.encoded)
}

const mostTurns = 4

const errorOf: Record<Refused['cause'], keyof typeof WSTEP_ERRORS> = {
  request: 'invalid',
  transaction: 'invalid',
  secret: 'access',
  owner: 'access',
  certificate: 'access',
}

const refusedBy = ({ cause, refused }: Refused, error = errorOf[cause], requestId?: string): SoapFault =>
  new SoapFault(refused, 'Sender', undefined, writeErrorDetail(error, requestId))

async function tokens(asked: Asked): Promise<Written> {
  const request = readTokenRequest(asked.envelope.content)
  return request.type === 'query' ? status(asked, request.requestId) : issue(asked, request.token)
}

async function issue(asked: Asked, token: Uint8Array): Promise<Written> {
  const { door } = asked
  const { house, tenantId, profile, address } = door
  const opened = openedToken(token)
  const signer = 'refused' in opened ? undefined : opened.signer
  const about = { house, tenantId, profile, kind: 'initial' as const, address, key: requestNumber('', token) }
  const by = await proofOf(asked, signer, about)
  const asker = 'secret' in by ? by.secret.id : by.renews.id
  const kind = 'renews' in by ? ('renewal' as const) : about.kind
  if ('refused' in opened) throw refusedBy(await refuse({ ...about, kind }, opened), undefined, about.key)
  const csr = opened.csr.encoded
  const attempt = { ...about, kind, key: await freeNumber(door, asker, opened), by }
  if (await isOtherTemplate(door, opened)) throw refusedBy(await refuse(attempt, notOffered), 'template', attempt.key)
  return answered(door, attempt.key, await enrol({ ...attempt, csr }))
}

function openedToken(token: Uint8Array): OpenedToken | Refused {
  try {
    return openToken(token)
  } catch (error) {
    if (error instanceof TokenError) return { cause: 'request', refused: error.message }
    throw error
  }
}

type Proof = Exclude<Attempt['by'], { vouched: true }>

const otherSigner = 'The request is signed with another certificate than the one that was shown'
const otherPerson = 'The certificate that signs the request is not that of whoever signed in'

/** What lets the client enrol. A signature with the certificate that is renewed is proof enough; a password beside it must not be somebody else's. */
async function proofOf(asked: Asked, signer: Certificate | undefined, about: Omit<Attempt, 'by' | 'csr'>): Promise<Proof> {
  const { door, envelope, shown } = asked
  // Nothing is proven yet, and it leaves a row: it is counted as a wrong secret is.
  const no = async (refused: Refused): Promise<never> => {
    await countWrongSecret(door)
    throw refusedBy(await refuse({ ...about, kind: signer === undefined ? 'initial' : 'renewal' }, refused))
  }
  const proving = signer ?? (envelope.token === undefined ? shown : undefined)
  if (proving !== undefined) {
    if (signer !== undefined && shown !== undefined && fingerprint(shown) !== fingerprint(signer))
      return no({ cause: 'certificate', refused: otherSigner })
    const renews = await certificateToRenew(door, proving)
    if (typeof renews === 'string') return no({ cause: 'certificate', refused: renews })
    const secret = envelope.token === undefined ? undefined : await knownSecret(door, envelope.token.password)
    // A machine still sends the password that it was set up with, long gone by then: it is let in all the same, yet nobody tries many so.
    if (secret === undefined && envelope.token !== undefined) await countWrongBeside(door, renews.id)
    if (secret !== undefined && (secret.holder_id ?? undefined) !== renews.holderUserId)
      return no({ cause: 'certificate', refused: otherPerson })
    return { renews }
  }
  if (envelope.token === undefined) throw notSignedIn('Show the name and the password of a secret, or your certificate')
  const secret = await knownSecret(door, envelope.token.password)
  if (secret !== undefined) return { secret }
  await countWrongSecret(door)
  await refuse(about, { cause: 'secret', refused: secretEnded })
  throw notSignedIn(secretEnded)
}

const knownSecret = ({ house, tenantId, profile }: Door, password: string): Promise<SecretRecord | undefined> =>
  withTenancy(house, tenantId, (tenancy) => findSecretByHash(tenancy, profile.id, hashOf(password)))

/** A request that names a template names this one: Windows would take the certificate for one of another. */
async function isOtherTemplate({ house, tenantId, profile }: Door, { csr }: OpenedToken): Promise<boolean> {
  const template = await withTenancy(house, tenantId, ({ db, now }) => findTemplate(db, tenantId, profile.template_id, now))
  if (template === undefined) return false
  return csr.requestedExtensions.some(
    (one) =>
      (one.type === 'microsoftCertificateTemplate' && one.templateId !== templateOid(template.id)) ||
      (one.type === 'microsoftCertificateTemplateName' && one.name !== windowsName(template)),
  )
}

const notOffered: Refused = { cause: 'request', refused: refusal('templateNotOffered', undefined).says }

const notYours: Refused = { cause: 'transaction', refused: 'There is no request of this number here, or it is not yours' }

async function status(asked: Asked, requestId: string): Promise<Written> {
  const { door, shown } = asked
  const { house, tenantId, profile } = door
  const secret = await secretOf(asked)
  const renews = secret === undefined && shown !== undefined ? await certificateToRenew(door, shown) : undefined
  if (typeof renews === 'string') throw notSignedIn(renews)
  if (secret === undefined && renews === undefined) throw notSignedIn('Show the name and the password of a secret, or your certificate')
  const found = await withTenancy(house, tenantId, (tenancy) => findTransactionByKey(tenancy, profile.id, requestId))
  if (found === undefined || !isTheirs(found, secret, renews)) throw refusedBy(notYours)
  return answered(door, requestId, await settle(house, tenantId, profile, found))
}

const isTheirs = (
  { secret_id: secretId, renews: renewed, certificate_id: certificateId }: TransactionRecord,
  secret: SecretRecord | undefined,
  shown: KnownCertificate | undefined,
): boolean =>
  (secret !== undefined && secretId === secret.id) || (shown !== undefined && (renewed === shown.id || certificateId === shown.id))

function answered(door: Door, requestId: string, outcome: Outcome): Written {
  if ('refused' in outcome) throw refusedBy(outcome, undefined, requestId)
  const { issued } = outcome
  if (issued === undefined) return writePending({ requestId, url: enrolAddress(door.house, door.profile) })
  const { certificate } = issued.certificate
  return writeIssued({ requestId, certificate, chain: certificatesOnly([certificate, ...issued.chain]) })
}

const operations = {
  xcep: { action: XCEP_ACTION, answer: XCEP_ANSWER, give: policies },
  wstep: { action: WSTEP_ACTION, answer: WSTEP_ANSWER, give: tokens },
} satisfies Record<string, Operation>

const endpointOf = (operation: Operation): EndpointHandler => ({
  bodyLimit: mostBytes,
  handle: (request) => serveWindows(operation, request, { shown: certificateOfProxy(request), body: request.body }),
})

export const windowsEndpoints = { windowsPolicies: endpointOf(operations.xcep), windowsEnrol: endpointOf(operations.wstep) }

const { endpoints } = protocolRoom

/** The same at the listener for certificates, whose certificate is the client's own. */
export const windowsByCertificate: CertificateDoor = {
  prefixes: [endpoints.windowsPolicies, endpoints.windowsEnrol].map(({ path }) => path.slice(0, path.indexOf(':'))),
  async answer(house: House, { method, url, body, address, certificate }: ShownRequest) {
    const [, name = '', publicId = ''] = /^\/(xcep|wstep)\/([\w-]+)$/.exec(url.pathname) ?? []
    if (method !== 'POST' || (name !== 'xcep' && name !== 'wstep')) return undefined
    const place = { house, params: { publicId }, facts: { id: '', address }, now: house.now() }
    return serveWindows(operations[name], place, { shown: certificate, body: async () => body })
  },
}
