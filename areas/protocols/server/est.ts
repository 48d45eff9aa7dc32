// The EST server (RFC 7030, RFC 8951). A client shows a secret as its password, or at the listener for certificates the certificate that it has.

import { createHash, randomBytes } from 'node:crypto'
import { openCsrBytes } from '#areas/authorities/csr.ts'
import { isKeyAlgorithm, type KeyAlgorithm } from '#areas/keys/rules.ts'
import { generateKeyPair, signatureAlgorithmFor } from '#areas/keys/service.ts'
import { certificateOfProxy, type CertificateDoor, type ShownRequest } from '#areas/mtls/service.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandler, EndpointHandlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { DerError } from '#standards/der/reader.ts'
import { csrAttributes, encodeBody, multipart, readBody } from '#standards/est/est.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { X509Error } from '#standards/x509/error.ts'
import { protocolRoom } from '../contract.ts'
import { estWaitSeconds, type TransactionKind } from '../rules.ts'
import { enrol, refuse, secretEnded, type Attempt, type Issued, type Outcome } from './enrol.ts'
import { registrarsOf } from './registrar.ts'
import { certificateToRenew } from './renewing.ts'
import { findSecretByHash } from './secret-store.ts'
import { countRequest, countWrongSecret, faultAnswer, hashOf, noStore, openDoor, plainAnswer, type Door } from './wire.ts'

const mostBytes = 128 * 1024

/** One request, whichever way it came. */
type Asked = { door: Door; password: string | undefined; shown: Uint8Array | undefined; body(): Promise<Uint8Array> }
type Operation = (asked: Asked) => Promise<EndpointAnswer>

const noServer = (): EndpointAnswer => plainAnswer(404, 'There is no EST server at this address')

const serveEst = (operation: Operation): EndpointHandler => ({
  bodyLimit: mostBytes,
  async handle(request) {
    try {
      const door = await openDoor(request, 'est')
      if (door === undefined) return noServer()
      const { authorization } = request.raw.headers
      return await operation({
        door,
        password: passwordOf(authorization),
        shown: certificateOfProxy(request),
        body: request.body,
      })
    } catch (error) {
      return faultAnswer(error, request)
    }
  },
})

/** RFC 7617: what follows the first colon. The name before it says nothing that the secret does not. */
function passwordOf(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]{1,2000})$/i.exec(authorization ?? '') ?? []
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : text.slice(colon + 1)
}

async function caCertificates({ door }: Asked): Promise<EndpointAnswer> {
  const registrars = await registrarsOf(door.house, door.tenantId, door.profile)
  return registrars === undefined
    ? plainAnswer(503, 'The authority of this profile certifies nothing now', { 'retry-after': '3600' })
    : certificates(door, registrars.chain)
}

function encoded({ profile }: Door, type: string, bytes: Uint8Array): EndpointAnswer {
  const body = encodeBody(bytes, profile.settings.lineLength)
  const headers = { ...noStore, 'content-type': type, 'content-transfer-encoding': 'base64', 'content-length': String(body.length) }
  return { headers, body }
}

const certificates = (door: Door, all: readonly Uint8Array[]): EndpointAnswer =>
  encoded(door, 'application/pkcs7-mime; smime-type=certs-only', certificatesOnly(all))

const templateOf = ({ house, tenantId, profile }: Door): Promise<Template | undefined> =>
  withTenancy(house, tenantId, ({ db, now }) => findTemplate(db, tenantId, profile.template_id, now))

async function attributes({ door }: Asked): Promise<EndpointAnswer> {
  const template = await templateOf(door)
  const wanted = template?.rules.keys.map(csrAttributes).find((one) => one !== undefined)
  return wanted === undefined ? { status: 204, headers: noStore, body: '' } : encoded(door, 'application/csrattrs', wanted)
}

type Proof = Attempt['by'] | { answer: EndpointAnswer }
type About = Pick<Attempt, 'house' | 'tenantId' | 'profile' | 'key' | 'kind' | 'address'>

const wantsPassword = { 'www-authenticate': 'Basic realm="EST", charset="UTF-8"' }

/** What lets the client enrol. A wrong password and none are both asked for one, as RFC 7030 3.2.3 has it. */
async function proofOf({ door, password, shown }: Asked, about: About): Promise<Proof> {
  const { house, tenantId, profile } = door
  if (password !== undefined) {
    const secret = await withTenancy(house, tenantId, (tenancy) => findSecretByHash(tenancy, profile.id, hashOf(password)))
    if (secret !== undefined) return { secret }
    await countWrongSecret(door)
    await refuse(about, { cause: 'secret', refused: secretEnded })
    return { answer: plainAnswer(401, secretEnded, wantsPassword) }
  }
  const certificate = readShown(shown)
  if (certificate === undefined) return { answer: plainAnswer(401, 'Show a secret as your password, or your certificate', wantsPassword) }
  const renews = await certificateToRenew(door, certificate)
  if (typeof renews !== 'string') return { renews }
  await refuse(about, { cause: 'certificate', refused: renews })
  return { answer: plainAnswer(403, renews) }
}

function readShown(der: Uint8Array | undefined): Certificate | undefined {
  try {
    return der === undefined || der.length === 0 ? undefined : parseCertificate(der)
  } catch (error) {
    if (error instanceof DerError || error instanceof X509Error) return undefined
    throw error
  }
}

/** What a refusal is on this wire. */
const statuses: Record<Extract<Outcome, { refused: string }>['cause'], number> = {
  request: 400,
  secret: 403,
  transaction: 409,
  owner: 403,
  certificate: 403,
}

/** Takes a CSR. One that comes again is answered by the same certificate: the request itself is its name. */
const enrolling =
  (kind: TransactionKind): Operation =>
  async (asked) => {
    const { door } = asked
    const { house, tenantId, profile, address } = door
    await countRequest(door)
    const csr = readBody(await asked.body())
    if (csr === undefined) return plainAnswer(400, 'Send the request (PKCS#10) in base64')
    const about: About = { house, tenantId, profile, key: createHash('sha256').update(csr).digest('hex'), kind, address }
    const by = await proofOf(asked, about)
    if ('answer' in by) return by.answer
    const outcome = await enrol({ ...about, kind: 'renews' in by ? 'renewal' : kind, csr, by })
    return answered(outcome, ({ certificate }) => certificates(door, [certificate.certificate]))
  }

function answered(outcome: Outcome, give: (issued: Issued) => EndpointAnswer): EndpointAnswer {
  if ('refused' in outcome) return plainAnswer(statuses[outcome.cause], outcome.refused)
  if (outcome.issued !== undefined) return give(outcome.issued)
  return plainAnswer(202, 'Somebody must agree to this certificate. Send the same request again', { 'retry-after': String(estWaitSeconds) })
}

/** RFC 7030 4.4: the client's CSR says what the certificate is for; the key is made here, sent once, and not kept. */
const serverKey: Operation = async (asked) => {
  const { door } = asked
  const { house, tenantId, profile, address } = door
  if (!profile.settings.serverKeys) return plainAnswer(403, 'This profile makes no keys: make one and use simpleenroll')
  const template = await templateOf(door)
  if ((template?.issueApprovers ?? 0) > 0) return plainAnswer(403, 'A key is made here only where nobody must agree to the certificate')
  await countRequest(door)
  const sent = readBody(await asked.body())
  const opened = sent === undefined ? undefined : openCsrBytes(sent)
  if (opened === undefined) return plainAnswer(400, 'Send the request (PKCS#10) in base64')
  if ('faults' in opened) return plainAnswer(400, opened.faults.map(({ says }) => says).join('; '))
  const kind = template?.rules.keys.find((name): name is KeyAlgorithm & typeof name => isKeyAlgorithm(name))
  if (kind === undefined) return plainAnswer(403, 'Of the keys that the template allows none is made here')
  const about: About = { house, tenantId, profile, key: randomBytes(16).toString('hex'), kind: 'serverKey', address }
  const by = await proofOf(asked, about)
  if ('answer' in by) return by.answer
  const { privateKey, spki } = await generateKeyPair(kind)
  const algorithm = signatureAlgorithmFor(kind)
  const { subjectEncoded, requestedExtensions } = opened.csr
  const info = buildCsrInfo({ subject: subjectEncoded, publicKey: spki, requestedExtensions })
  const csr = assembleSigned(info, algorithm, signWith(algorithm, privateKey, info))
  const outcome = await enrol({ ...about, csr, by })
  return answered(outcome, ({ certificate }) => {
    const boundary = randomBytes(12).toString('hex')
    const key = privateKey.export({ format: 'der', type: 'pkcs8' })
    const parts = [
      { type: 'application/pkcs8', body: key },
      { type: 'application/pkcs7-mime; smime-type=certs-only', body: certificatesOnly([certificate.certificate]) },
    ]
    const body = multipart(parts, boundary, profile.settings.lineLength)
    key.fill(0)
    const headers = {
      ...noStore,
      'content-type': `multipart/mixed; boundary=${boundary}`,
      'content-length': String(Buffer.byteLength(body)),
    }
    return { headers, body }
  })
}

const fullCmc: Operation = async () => plainAnswer(501, 'Full CMC is not offered here: use simpleenroll')

const operations = {
  cacerts: { method: 'GET', answer: caCertificates },
  csrattrs: { method: 'GET', answer: attributes },
  simpleenroll: { method: 'POST', answer: enrolling('initial') },
  simplereenroll: { method: 'POST', answer: enrolling('renewal') },
  serverkeygen: { method: 'POST', answer: serverKey },
  fullcmc: { method: 'POST', answer: fullCmc },
} satisfies Record<string, { method: string; answer: Operation }>

type EstEndpoints = Extract<keyof EndpointHandlers<typeof protocolRoom>, `est${string}`>

export const estEndpoints: Record<EstEndpoints, EndpointHandler> = {
  estCaCertificates: serveEst(operations.cacerts.answer),
  estAttributes: serveEst(operations.csrattrs.answer),
  estEnrol: serveEst(operations.simpleenroll.answer),
  estRenew: serveEst(operations.simplereenroll.answer),
  estPrefixedCaCertificates: serveEst(operations.cacerts.answer),
  estPrefixedAttributes: serveEst(operations.csrattrs.answer),
  estPrefixedEnrol: serveEst(operations.simpleenroll.answer),
  estPrefixedRenew: serveEst(operations.simplereenroll.answer),
  estServerKey: serveEst(operations.serverkeygen.answer),
  estFull: serveEst(operations.fullcmc.answer),
}

const { endpoints } = protocolRoom

/** The same at the listener for certificates, whose certificate is the client's own. */
export const estByCertificate: CertificateDoor = {
  prefixes: [endpoints.estCaCertificates, endpoints.estPrefixedCaCertificates].map(({ path }) => path.slice(0, path.indexOf(':'))),
  async answer(house: House, { method, url, headers, body, address, certificate }: ShownRequest) {
    const [, publicId = '', name = ''] =
      /^\/\.well-known\/est\/([\w-]+)\/(\w+)$/.exec(url.pathname) ?? /^\/est\/([\w-]+)\/\.well-known\/est\/(\w+)$/.exec(url.pathname) ?? []
    const operation = Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : undefined
    if (operation === undefined || operation.method !== method) return undefined
    const place = { house, params: { publicId }, facts: { id: '', address }, now: house.now() }
    try {
      const door = await openDoor(place, 'est')
      if (door === undefined) return noServer()
      return await operation.answer({
        door,
        password: passwordOf(headers['authorization']),
        shown: certificate,
        body: async () => body,
      })
    } catch (error) {
      return faultAnswer(error, place)
    }
  },
}
