// The CMP server (RFC 9810, RFC 9483, over HTTP by RFC 9811). A client protects its messages by a shared secret or by the certificate that it has, and is answered in
// kind; what cannot be told whose it is gets an error and nothing else.

import { createHash, randomBytes } from 'node:crypto'
import { findCertificate, type Certificate as KnownCertificate } from '#areas/certificates/service.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { revokeByProtocol, type ProtocolRevoked } from '#areas/revocation/protocols.ts'
import { namesAsked } from '#areas/templates/requests.ts'
import { Fault } from '#core/server/fault.ts'
import { giveBack } from '#core/server/limits.ts'
import type { EndpointAnswer, EndpointHandler } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { readCertificateRequest, readRevocationRequest } from '#standards/cmp/crmf.ts'
import {
  BODIES,
  buildCmpMessage,
  checkMac,
  CmpError,
  encodeCertificateAnswer,
  encodeError,
  encodePollAnswer,
  encodeRevocationAnswer,
  MOST_MESSAGE_BYTES,
  nameOfSender,
  protectionKind,
  readCmpMessage,
  readConfirmations,
  readPollRequests,
  signatureFaultOf,
  STATUSES,
  type BodyName,
  type CmpMessage,
  type Failure,
  type Protector,
} from '#standards/cmp/message.ts'
import { reasonFromCode } from '#standards/crl/reasons.ts'
import { DerError } from '#standards/der/reader.ts'
import { readDer } from '#standards/der/reader.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { nullValue, sequence } from '#standards/der/writer.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { parseName } from '#standards/x509/names.ts'
import { actorOf, enrol, settle, type Attempt, type Outcome, type Refused } from './enrol.ts'
import { registrarsOf, type Registrars } from './registrar.ts'
import { certificateToRenew } from './renewing.ts'
import { findSecretByReference } from './secret-store.ts'
import { secretPurpose } from './secrets.ts'
import type { SecretRecord, TransactionRecord } from './store.ts'
import { endConfirmation, findTransactionByKey } from './transaction-store.ts'
import { countRequest, countTry, countWrongTry, faultAnswer, noStore, openDoor, plainAnswer, type Door } from './wire.ts'

export const cmpEndpoint: EndpointHandler = {
  bodyLimit: MOST_MESSAGE_BYTES,
  async handle(request) {
    try {
      const door = await openDoor(request, 'cmp')
      if (door === undefined) return plainAnswer(404, 'There is no CMP server at this address')
      const { house, tenantId, profile } = door
      const registrars = await registrarsOf(house, tenantId, profile)
      if (registrars === undefined)
        return plainAnswer(503, 'The authority of this profile certifies nothing now', { 'retry-after': '3600' })
      return await answer(door, registrars, await request.body())
    } catch (error) {
      return faultAnswer(error, request)
    }
  },
}

type Client = { secret: SecretRecord; plain: Uint8Array } | { certificate: Certificate }
type Operation = { door: Door; registrars: Registrars; message: CmpMessage; client: Client; key: string }
type Said = { body: BodyName; content: Uint8Array; implicitConfirm?: boolean }

const refused = (failure: Failure, text: string): Said => ({ body: 'error', content: encodeError({ status: 'rejection', failure, text }) })

async function answer(door: Door, registrars: Registrars, bytes: Uint8Array): Promise<EndpointAnswer> {
  let message: CmpMessage
  try {
    message = readCmpMessage(bytes)
  } catch (error) {
    if (error instanceof DerError) return plainAnswer(400, `This is no CMP message: ${error.message}`)
    throw error
  }
  await countRequest(door)
  const known = await attempt(() => authenticate(door, message))
  const client = 'said' in known ? undefined : known.value
  const outcome =
    client === undefined || 'said' in known
      ? known
      : await attempt(() => serve({ door, registrars, message, client, key: Buffer.from(message.transactionId).toString('hex') }))
  const said = 'said' in outcome ? outcome.said : (outcome.value as Said)
  const { current, chain } = registrars
  const protector: Protector =
    client !== undefined && 'secret' in client
      ? { type: 'mac', secret: client.plain, reference: Buffer.from(client.secret.reference) }
      : { type: 'signature', certificate: current.certificate, algorithm: current.algorithm, sign: current.sign }
  const body = await buildCmpMessage({
    ...said,
    sender: nameOfSender(current.certificate.subjectEncoded),
    recipient: message.sender,
    transactionId: message.transactionId.length === 0 ? randomBytes(16) : message.transactionId,
    recipientNonce: message.senderNonce.length === 0 ? undefined : message.senderNonce,
    extraCertificates: [...(protector.type === 'signature' ? [current.certificate.encoded] : []), ...chain],
    now: door.now,
    protector,
  })
  // A client that waits longer than a connection is kept would send its next poll into one that is closed, and give up: OpenSSL's does.
  const goesAway = said.body === 'pollRep' ? { connection: 'close' } : {}
  return { headers: { ...noStore, ...goesAway, 'content-type': 'application/pkixcmp' }, body }
}

/** What is wrong with a message has an answer of the protocol. */
async function attempt<T>(run: () => Promise<T>): Promise<{ value: T } | { said: Said }> {
  try {
    return { value: await run() }
  } catch (error) {
    if (error instanceof CmpError) return { said: refused(error.failure, error.message) }
    if (error instanceof DerError || error instanceof X509Error) return { said: refused('badDataFormat', error.message) }
    if (error instanceof Fault && error.status === 429) return { said: refused('systemUnavail', error.message) }
    throw error
  }
}

const wrongSecret = 'The reference is not known here, or the message is not protected by its secret'
/** Clocks of devices are late, and a message that was recorded is not sent again for ever. */
const mostSkewMilliseconds = 15 * 60_000

async function authenticate(door: Door, message: CmpMessage): Promise<Client> {
  const { house, tenantId, profile } = door
  const { senderKid } = message
  const kind = protectionKind(message)
  if (kind === 'none') throw new CmpError('badMessageCheck', 'The message is not protected')
  if (kind === 'mac') {
    const reference = Buffer.from(senderKid ?? new Uint8Array()).toString('latin1')
    const found = await withTenancy(house, tenantId, async (tenancy) => {
      const secret = await findSecretByReference(tenancy, profile.id, reference)
      const { secret_sealed: sealed, tenant_key_id: tenantKeyId } = secret ?? {}
      if (secret === undefined || sealed == null || tenantKeyId == null) return undefined
      return {
        secret,
        plain: await unsealForTenant(tenancy.db, house, { tenantId, purpose: secretPurpose(secret.id), sealed, tenantKeyId }),
      }
    })
    // Counted before the work, which the message itself says how much it is. A reference that is not there costs the same as a wrong secret.
    const tickets = await countTry(door)
    const isRight = await checkMac(message, found?.plain ?? Buffer.alloc(24))
    if (found !== undefined && isRight) {
      await giveBack(house.database, tickets)
      return found
    }
    await countWrongTry(door)
    throw new CmpError('badMessageCheck', wrongSecret)
  }
  const certificate = message.extraCertificates.map((der) => parseCertificate(der)).find((one) => isSigner(one, senderKid))
  if (certificate === undefined) throw new CmpError('badMessageCheck', 'The certificate that signed does not come with the message')
  const fault = signatureFaultOf(message, certificate)
  if (fault !== undefined) throw new CmpError('badMessageCheck', fault)
  return { certificate }
}

const isSigner = ({ extensions }: Certificate, kid: Uint8Array | undefined): boolean => {
  const own = findExtension(extensions, 'subjectKeyIdentifier')?.keyIdentifier
  return kid === undefined || (own !== undefined && bytesEqual(own, kid))
}

/** What a header may not say is looked at when it is known whose it is, so that the client can check what it is told. */
function serve(operation: Operation): Promise<Said> {
  const { fault, messageTime } = operation.message
  if (fault !== undefined) throw fault
  if (messageTime !== undefined && Math.abs(messageTime.getTime() - operation.door.now.getTime()) > mostSkewMilliseconds)
    throw new CmpError('badTime', 'The time of the message is not now')
  const handler = handlers[operation.message.body]
  if (handler === undefined) throw new CmpError('badRequest', `Messages of the kind ${operation.message.body} are not answered`)
  return handler(operation)
}

const handlers: Partial<Record<number, (operation: Operation) => Promise<Said>>> = {
  [BODIES.p10cr]: (operation) => request(operation, { csr: operation.message.content.encoded }, -1, 'cp'),
  [BODIES.ir]: (operation) => requestByTemplate(operation, 'ip'),
  [BODIES.cr]: (operation) => requestByTemplate(operation, 'cp'),
  [BODIES.kur]: (operation) => requestByTemplate(operation, 'kup'),
  [BODIES.certConf]: confirm,
  [BODIES.pollReq]: poll,
  [BODIES.rr]: revoke,
  [BODIES.genm]: async () => ({ body: 'genp', content: sequence() }),
}

async function requestByTemplate(operation: Operation, body: 'ip' | 'cp' | 'kup'): Promise<Said> {
  const { message, client } = operation
  const asked = readCertificateRequest(message.content)
  if (asked.possession === 'raVerified')
    throw new CmpError('notAuthorized', 'Only a registration authority may say that it has verified the key')
  if (asked.possession !== 'proven') throw new CmpError('badPOP', 'The request does not prove that its maker has the key')
  if (asked.spki === undefined) throw new CmpError('badCertTemplate', 'The request has no key')
  if (body === 'kup' && !('certificate' in client))
    throw new CmpError('badRequest', 'A key is updated with the certificate that it follows')
  const { replaces } = asked
  if (
    replaces !== undefined &&
    'certificate' in client &&
    !(bytesEqual(replaces.issuer, client.certificate.issuerEncoded) && bytesEqual(replaces.serial, client.certificate.serialNumber))
  )
    throw new CmpError('badCertId', 'The certificate that is updated is not the one that signed')
  const subject = asked.subject === undefined ? [] : parseName(readDer(asked.subject))
  return request(operation, { proven: { spki: asked.spki, details: namesAsked(subject, asked.extensions) } }, asked.requestId, body)
}

async function proofOf({ door, client }: Operation): Promise<Attempt['by']> {
  if ('secret' in client) return { secret: client.secret }
  const renews = await certificateToRenew(door, client.certificate)
  if (typeof renews === 'string') throw new CmpError('signerNotTrusted', renews)
  return { renews }
}

async function request(
  operation: Operation,
  key: Pick<Attempt, 'csr' | 'proven'>,
  requestId: number,
  body: 'ip' | 'cp' | 'kup',
): Promise<Said> {
  const { door, message } = operation
  const { house, tenantId, profile, address, now } = door
  const by = await proofOf(operation)
  const isImplicit = message.implicitConfirm && profile.settings.implicitConfirmation
  const outcome = await enrol({
    house,
    tenantId,
    profile,
    key: operation.key,
    kind: 'renews' in by ? 'renewal' : 'initial',
    by,
    address,
    ...key,
    ...(isImplicit ? {} : { confirmBy: new Date(now.getTime() + profile.settings.confirmationMinutes * 60_000) }),
  })
  return answered(operation, outcome, requestId, body)
}

const failures: Record<Refused['cause'], Failure> = {
  request: 'badCertTemplate',
  secret: 'notAuthorized',
  transaction: 'transactionIdInUse',
  owner: 'notAuthorized',
  certificate: 'notAuthorized',
}

function answered({ client, registrars }: Operation, outcome: Outcome, requestId: number, body: 'ip' | 'cp' | 'kup'): Said {
  if ('refused' in outcome)
    return {
      body,
      content: encodeCertificateAnswer({
        requestId,
        status: { status: 'rejection', failure: failures[outcome.cause], text: outcome.refused },
      }),
    }
  if (outcome.issued === undefined) return { body, content: encodeCertificateAnswer({ requestId, status: { status: 'waiting' } }) }
  const root = registrars.chain.at(-1)
  return {
    body,
    implicitConfirm: outcome.transaction.confirm_by === null,
    content: encodeCertificateAnswer({
      requestId,
      status: { status: 'accepted' },
      certificate: outcome.issued.certificate.certificate,
      // RFC 9483 4.1.1: whoever shares a secret may take an anchor from it.
      authorities: 'secret' in client && root !== undefined ? [root] : [],
    }),
  }
}

const waitSeconds = 10

/** The transaction that a client goes on with, where it is its own. */
async function ownTransaction({ door, key, client }: Operation): Promise<TransactionRecord> {
  const { house, tenantId, profile } = door
  const transaction = await withTenancy(house, tenantId, (tenancy) => findTransactionByKey(tenancy, profile.id, key))
  const renews = transaction?.renews
  const isOwn =
    transaction !== undefined &&
    ('secret' in client ? transaction.secret_id === client.secret.id : renews != null && (await isHeld(door, renews, client.certificate)))
  if (transaction === undefined || !isOwn) throw new CmpError('badRequest', 'There is no such transaction')
  return transaction
}

const isHeld = async ({ house, tenantId, now }: Door, certificateId: string, shown: Certificate): Promise<boolean> => {
  const held = await withTenancy(house, tenantId, ({ db }) => findCertificate(db, tenantId, { certId: certificateId }, now))
  return held !== undefined && bytesEqual(held.certificate, shown.encoded)
}

async function poll(operation: Operation): Promise<Said> {
  const [requestId = 0] = readPollRequests(operation.message.content)
  const transaction = await ownTransaction(operation)
  const { house, tenantId, profile } = operation.door
  const outcome = await settle(house, tenantId, profile, transaction)
  if (!('refused' in outcome) && outcome.issued === undefined) return { body: 'pollRep', content: encodePollAnswer(requestId, waitSeconds) }
  // What was asked for by ir is answered by ip; which it was is not kept, and clients take the one as the other.
  return answered(operation, outcome, requestId, transaction.kind === 'renewal' ? 'kup' : 'ip')
}

async function confirm(operation: Operation): Promise<Said> {
  const { door, message } = operation
  const { house, tenantId } = door
  const transaction = await ownTransaction(operation)
  const certificateId = transaction.certificate_id
  const certificate =
    certificateId === null
      ? undefined
      : await withTenancy(house, tenantId, ({ db, now }) => findCertificate(db, tenantId, { certId: certificateId }, now))
  if (certificate === undefined) throw new CmpError('badRequest', 'There is nothing to confirm')
  if (transaction.confirm_by === null) throw new CmpError('certConfirmed', 'This certificate is confirmed already')
  const [confirmation] = readConfirmations(message.content)
  const hash = createHash(confirmation?.digest ?? 'sha256')
    .update(certificate.certificate)
    .digest()
  if (confirmation !== undefined && !bytesEqual(confirmation.hash, hash))
    throw new CmpError('badCertId', 'The hash is not that of the certificate')
  const isTaken =
    confirmation !== undefined && (confirmation.status === STATUSES.accepted || confirmation.status === STATUSES.grantedWithMods)
  if (!isTaken) await revokeUnwanted(door, transaction, certificate)
  await withTenancy(house, tenantId, (tenancy) => endConfirmation(tenancy, transaction.id))
  return { body: 'pkiconf', content: nullValue() }
}

/** A certificate that its client does not want, or never said that it has. */
export async function revokeUnwanted(
  { house, tenantId, profile }: Pick<Door, 'house' | 'tenantId' | 'profile'>,
  transaction: TransactionRecord,
  { id }: Pick<KnownCertificate, 'id'>,
): Promise<void> {
  const { name, address } = actorOf({ ...transaction, profile })
  await revokeByProtocol(house, { tenantId, certificateId: id, reason: 'cessationOfOperation', by: name, address })
}

const revocationFailures: Partial<Record<ProtocolRevoked, { failure: Failure; text: string }>> = {
  badReason: { failure: 'badRequest', text: 'This reason cannot be given' },
  missing: { failure: 'badCertId', text: 'This certificate is not known here' },
  notIssuedHere: { failure: 'badCertId', text: 'This certificate was not issued here' },
  notYours: { failure: 'notAuthorized', text: 'This certificate is of somebody else' },
  alreadyRevoked: { failure: 'certRevoked', text: 'This certificate is revoked already' },
}

/** RFC 9483 4.2: the holder of a certificate revokes that one, and signs by it. */
async function revoke(operation: Operation): Promise<Said> {
  const { door, client, message, key } = operation
  const { house, tenantId, profile, address } = door
  if (!('certificate' in client)) throw new CmpError('notAuthorized', 'A certificate is revoked by a message that it signs')
  const asked = readRevocationRequest(message.content)
  const { issuerEncoded, serialNumber } = client.certificate
  if (asked.issuer === undefined || asked.serial === undefined)
    throw new CmpError('addInfoNotAvailable', 'Name the certificate by issuer and serial number')
  if (!bytesEqual(asked.issuer, issuerEncoded) || !bytesEqual(asked.serial, serialNumber))
    throw new CmpError('notAuthorized', 'This certificate is of somebody else')
  const reason = reasonFromCode(asked.reason)
  const own = await certificateToRenew(door, client.certificate)
  if (typeof own === 'string') throw new CmpError('signerNotTrusted', own)
  if (reason === undefined) throw new CmpError('badRequest', 'This reason cannot be given')
  const by = actorOf({ profile, key, address }).name
  const outcome = await revokeByProtocol(house, { tenantId, certificateId: own.id, reason, by, address })
  const failed = revocationFailures[outcome]
  if (failed !== undefined) return { body: 'rp', content: encodeRevocationAnswer({ status: 'rejection', ...failed }) }
  return { body: 'rp', content: encodeRevocationAnswer({ status: outcome === 'revoked' ? 'accepted' : 'waiting' }) }
}
