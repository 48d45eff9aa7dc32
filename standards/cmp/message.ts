// Messages of CMP (RFC 9810, with RFC 9481 for algorithms): header, body, protection. A message is read strictly, its protection is checked over the bytes that came,
// and what is written is written the same way by both sides.
import { createHmac, hash, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parseAlgorithm } from '../cms/message.ts'
import { elementsOf, fieldsOf, finish, hasMore, take, takeContext } from '../der/fields.ts'
import { readDer, TAG, type DerValue } from '../der/reader.ts'
import {
  explicitContent,
  faultAt,
  isContext,
  readBitStringBytes,
  readNamedBits,
  readOctetString,
  readOid,
  readSmallInteger,
  readString,
  readTime,
  type Oid,
} from '../der/values.ts'
import {
  bitString,
  explicit,
  generalizedTime,
  integer,
  namedBitString,
  nullValue,
  octetString,
  oid,
  sequence,
  utf8String,
} from '../der/writer.ts'
import { checkSignature, encodeAlgorithmIdentifier, parseAlgorithmIdentifier, type SignatureAlgorithm } from '../x509/algorithms.ts'
import type { Certificate } from '../x509/certificate.ts'
import { OIDS } from '../x509/oids.ts'

/** PKIBody (RFC 9810 5.1.2), as far as a server meets it. */
export const BODIES = {
  ir: 0,
  ip: 1,
  cr: 2,
  cp: 3,
  p10cr: 4,
  kur: 7,
  kup: 8,
  rr: 11,
  rp: 12,
  pkiconf: 19,
  genm: 21,
  genp: 22,
  error: 23,
  certConf: 24,
  pollReq: 25,
  pollRep: 26,
} as const
export type BodyName = keyof typeof BODIES

/** PKIFailureInfo (RFC 9810 5.2.3): the positions of its bits. */
export const FAILURES = {
  badAlg: 0,
  badMessageCheck: 1,
  badRequest: 2,
  badTime: 3,
  badCertId: 4,
  badDataFormat: 5,
  wrongAuthority: 6,
  incorrectData: 7,
  badPOP: 9,
  certRevoked: 10,
  certConfirmed: 11,
  badRecipientNonce: 13,
  unacceptedPolicy: 15,
  badSenderNonce: 18,
  badCertTemplate: 19,
  addInfoNotAvailable: 17,
  signerNotTrusted: 20,
  transactionIdInUse: 21,
  unsupportedVersion: 22,
  notAuthorized: 23,
  systemUnavail: 24,
  systemFailure: 25,
} as const
export type Failure = keyof typeof FAILURES

export const STATUSES = { accepted: 0, grantedWithMods: 1, rejection: 2, waiting: 3 } as const

export class CmpError extends Error {
  readonly failure: Failure
  constructor(failure: Failure, message: string) {
    super(message)
    this.name = 'CmpError'
    this.failure = failure
  }
}

const PASSWORD_BASED_MAC = '1.2.840.113533.7.66.13'
const PBMAC1 = '1.2.840.113549.1.5.14'
const PBKDF2 = '1.2.840.113549.1.5.12'
export const IMPLICIT_CONFIRM = '1.3.6.1.5.5.7.4.13'

const DIGESTS: Readonly<Record<Oid, string>> = { [OIDS.sha256]: 'sha256', [OIDS.sha384]: 'sha384', [OIDS.sha512]: 'sha512' }
/** HMAC with SHA-1 holds as a MAC, and OpenSSL writes it unless told otherwise; what derives the key is SHA-2. */
const MACS: Readonly<Record<Oid, string>> = {
  '1.3.6.1.5.5.8.1.2': 'sha1',
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}
/** More is somebody who wants to keep the server busy. Clients take a thousand, careful ones a hundred thousand. */
export const MOST_ITERATIONS = 100_000
/** Whoever else asks is answered between so many. */
const ITERATIONS_AT_ONCE = 2_000
export const MOST_MESSAGE_BYTES = 128 * 1024

export interface CmpMessage {
  version: number
  /** DER GeneralNames */
  sender: Uint8Array
  recipient: Uint8Array
  messageTime: Date | undefined
  /** the algorithm identifier of the protection; undefined where there is none */
  protection: DerValue | undefined
  senderKid: Uint8Array | undefined
  transactionId: Uint8Array
  senderNonce: Uint8Array
  recipientNonce: Uint8Array | undefined
  implicitConfirm: boolean
  /** the choice of PKIBody, and what it holds */
  body: number
  content: DerValue
  protectionBits: Uint8Array | undefined
  /** DER */
  extraCertificates: Uint8Array[]
  /** what is protected: ProtectedPart */
  protectedPart: Uint8Array
  /** what is wrong with the header, though the message can be answered */
  fault: CmpError | undefined
}

/** Reads a PKIMessage. Throws DerError for what is none. */
export function readCmpMessage(der: Uint8Array): CmpMessage {
  const outer = fieldsOf(readDer(der, { maxBytes: MOST_MESSAGE_BYTES }))
  const headerValue = take(outer, 'header')
  const bodyValue = take(outer, 'body')
  const protectionValue = takeContext(outer, 0, 'protection')
  const extra = takeContext(outer, 1, 'extraCerts')
  finish(outer)
  const header = fieldsOf(headerValue)
  const version = readSmallInteger(take(header, 'pvno'))
  const sender = take(header, 'sender').encoded
  const recipient = take(header, 'recipient').encoded
  const octets = (tag: number, name: string): Uint8Array | undefined => {
    const value = takeContext(header, tag, name)
    return value === undefined ? undefined : readOctetString(explicitContent(value))
  }
  const timeValue = takeContext(header, 0, 'messageTime')
  const protectionAlg = takeContext(header, 1, 'protectionAlg')
  const senderKid = octets(2, 'senderKID')
  octets(3, 'recipKID')
  const transactionId = octets(4, 'transactionID')
  const senderNonce = octets(5, 'senderNonce')
  const recipientNonce = octets(6, 'recipNonce')
  takeContext(header, 7, 'freeText')
  const info = takeContext(header, 8, 'generalInfo')
  finish(header)
  const fault = headerFault({ version, transactionId, senderNonce })
  const infos = info === undefined ? [] : elementsOf(explicitContent(info))
  if (bodyValue.tagClass !== 'context') throw faultAt(bodyValue, 'The body is none of PKIBody')
  return {
    version,
    sender,
    recipient,
    messageTime: timeValue === undefined ? undefined : readTime(explicitContent(timeValue)),
    protection: protectionAlg === undefined ? undefined : explicitContent(protectionAlg),
    senderKid,
    transactionId: transactionId ?? new Uint8Array(),
    senderNonce: senderNonce ?? new Uint8Array(),
    recipientNonce,
    implicitConfirm: infos.some((one) => readOid(take(fieldsOf(one), 'infoType')) === IMPLICIT_CONFIRM),
    body: bodyValue.tagNumber,
    content: explicitContent(bodyValue),
    protectionBits: protectionValue === undefined ? undefined : readBitStringBytes(explicitContent(protectionValue)),
    extraCertificates: extra === undefined ? [] : elementsOf(explicitContent(extra)).map(({ encoded }) => encoded),
    protectedPart: sequence(headerValue.encoded, bodyValue.encoded),
    fault,
  }
}

/** RFC 9483 3.5 */
function headerFault({
  version,
  transactionId,
  senderNonce,
}: {
  version: number
  transactionId: Uint8Array | undefined
  senderNonce: Uint8Array | undefined
}): CmpError | undefined {
  if (version !== 2 && version !== 3) return new CmpError('unsupportedVersion', 'The version of the message is not 2 or 3')
  if (transactionId === undefined || transactionId.length === 0 || transactionId.length > 64)
    return new CmpError('badDataFormat', 'The message has no transactionID')
  if (senderNonce === undefined || senderNonce.length < 16 || senderNonce.length > 64)
    return new CmpError('badSenderNonce', 'The senderNonce has not 16 bytes')
  return undefined
}

/** By what a message says that it is protected. `mac`: by a shared secret. */
export function protectionKind({ protection }: Pick<CmpMessage, 'protection'>): 'none' | 'mac' | 'signature' {
  if (protection === undefined) return 'none'
  const { algorithm } = parseAlgorithm(protection)
  return algorithm === PASSWORD_BASED_MAC || algorithm === PBMAC1 ? 'mac' : 'signature'
}

/** The key derivation of a MAC, with its cost bounded before it costs anything, and nobody waiting for it but who asked. Throws CmpError. */
async function macOf(identifier: DerValue, secret: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const { algorithm, parameters } = parseAlgorithm(identifier)
  if (parameters === undefined) throw new CmpError('badAlg', 'The MAC has no parameters')
  return algorithm === PBMAC1 ? pbmac1(parameters, secret, data) : passwordMac(parameters, secret, data)
}

function iterationsOf(value: DerValue): number {
  // A number that is too long is too large: it is not read.
  if (value.content.length > 4) throw new CmpError('badAlg', `More than ${MOST_ITERATIONS} iterations are not computed`)
  const count = readSmallInteger(value)
  if (count < 1 || count > MOST_ITERATIONS) throw new CmpError('badAlg', `More than ${MOST_ITERATIONS} iterations are not computed`)
  return count
}

/** PasswordBasedMac (RFC 9810 5.1.3.1). */
async function passwordMac(parameters: DerValue, secret: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const fields = fieldsOf(parameters)
  const salt = readOctetString(take(fields, 'salt'))
  const digest = DIGESTS[parseAlgorithm(take(fields, 'owf')).algorithm]
  const iterations = iterationsOf(take(fields, 'iterationCount'))
  const mac = MACS[parseAlgorithm(take(fields, 'mac')).algorithm]
  finish(fields)
  if (digest === undefined || mac === undefined || salt.length > 128)
    throw new CmpError('badAlg', 'The MAC is computed by an algorithm that is not taken: SHA-2 and HMAC with SHA-2 are')
  let key: Uint8Array = Buffer.concat([secret, salt])
  for (let round = 1; round <= iterations; round += 1) {
    key = hash(digest, key, 'buffer')
    if (round % ITERATIONS_AT_ONCE === 0) await setImmediate()
  }
  return createHmac(mac, key).update(data).digest()
}

const derive = promisify(pbkdf2)

/** RFC 9481 6.1.2, RFC 8018 7.1 */
async function pbmac1(parameters: DerValue, secret: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const fields = fieldsOf(parameters)
  const derivation = parseAlgorithm(take(fields, 'keyDerivationFunc'))
  const mac = MACS[parseAlgorithm(take(fields, 'messageAuthScheme')).algorithm]
  finish(fields)
  if (derivation.algorithm !== PBKDF2 || derivation.parameters === undefined || mac === undefined)
    throw new CmpError('badAlg', 'The MAC is computed by an algorithm that is not taken')
  const inner = fieldsOf(derivation.parameters)
  const salt = readOctetString(take(inner, 'salt'))
  const iterations = iterationsOf(take(inner, 'iterationCount'))
  const lengthOrPrf = hasMore(inner) ? take(inner, 'keyLength') : undefined
  const isLength = lengthOrPrf?.tagClass === 'universal' && lengthOrPrf.tagNumber === TAG.integer
  const length = isLength && lengthOrPrf !== undefined ? readSmallInteger(lengthOrPrf, { min: 1, max: 64 }) : 32
  const prfValue = isLength ? (hasMore(inner) ? take(inner, 'prf') : undefined) : lengthOrPrf
  finish(inner)
  const prf = prfValue === undefined ? undefined : MACS[parseAlgorithm(prfValue).algorithm]
  if (prf === undefined || salt.length > 128) throw new CmpError('badAlg', 'The key is derived by an algorithm that is not taken')
  return createHmac(mac, await derive(secret, salt, iterations, length, prf))
    .update(data)
    .digest()
}

/** Whether the MAC is right. Throws CmpError for an algorithm that is not taken. */
export async function checkMac({ protection, protectionBits, protectedPart }: CmpMessage, secret: Uint8Array): Promise<boolean> {
  if (protection === undefined || protectionBits === undefined) return false
  const expected = await macOf(protection, secret, protectedPart)
  return expected.length === protectionBits.length && timingSafeEqual(expected, protectionBits)
}

/** Why the signature does not count; undefined where it is right. */
export function signatureFaultOf({ protection, protectionBits, protectedPart }: CmpMessage, signer: Certificate): string | undefined {
  if (protection === undefined || protectionBits === undefined) return 'The message is not protected'
  const check = checkSignature(parseAlgorithmIdentifier(protection), signer.publicKey.spki, protectedPart, protectionBits)
  return check.ok ? undefined : check.reason
}

/** How an answer is protected. */
export type Protector =
  | { type: 'mac'; secret: Uint8Array; reference: Uint8Array }
  | { type: 'signature'; certificate: Certificate; algorithm: SignatureAlgorithm; sign: (data: Uint8Array) => Uint8Array }

export interface CmpAnswer {
  body: BodyName
  /** DER */
  content: Uint8Array
  sender: Uint8Array
  recipient: Uint8Array
  transactionId: Uint8Array
  senderNonce?: Uint8Array
  recipientNonce?: Uint8Array | undefined
  implicitConfirm?: boolean
  extraCertificates?: readonly Uint8Array[]
  now: Date
  protector: Protector | undefined
}

/** DER of a whole message. */
export async function buildCmpMessage({
  body,
  content,
  sender,
  recipient,
  transactionId,
  senderNonce = randomBytes(16),
  recipientNonce,
  implicitConfirm = false,
  extraCertificates = [],
  now,
  protector,
}: CmpAnswer): Promise<Uint8Array> {
  const algorithm = protector === undefined ? undefined : protectionAlgorithm(protector)
  const kid = protector?.type === 'mac' ? protector.reference : undefined
  const header = sequence(
    integer(2),
    sender,
    recipient,
    explicit(0, generalizedTime(now)),
    ...(algorithm === undefined ? [] : [explicit(1, algorithm)]),
    ...(kid === undefined ? [] : [explicit(2, octetString(kid))]),
    explicit(4, octetString(transactionId)),
    explicit(5, octetString(senderNonce)),
    ...(recipientNonce === undefined ? [] : [explicit(6, octetString(recipientNonce))]),
    ...(implicitConfirm ? [explicit(8, sequence(sequence(oid(IMPLICIT_CONFIRM), nullValue())))] : []),
  )
  const bodyBytes = explicit(BODIES[body], content)
  const part = sequence(header, bodyBytes)
  const bits =
    protector === undefined || algorithm === undefined
      ? undefined
      : protector.type === 'mac'
        ? await macOf(readDer(algorithm), protector.secret, part)
        : protector.sign(part)
  return sequence(
    header,
    bodyBytes,
    ...(bits === undefined ? [] : [explicit(0, bitString(bits))]),
    ...(extraCertificates.length === 0 ? [] : [explicit(1, sequence(...extraCertificates))]),
  )
}

function protectionAlgorithm(protector: Protector): Uint8Array {
  if (protector.type === 'signature') return encodeAlgorithmIdentifier(protector.algorithm)
  const parameters = sequence(
    octetString(randomBytes(16)),
    sequence(oid(OIDS.sha256), nullValue()),
    integer(1_000),
    sequence(oid('1.2.840.113549.2.9'), nullValue()),
  )
  return sequence(oid(PASSWORD_BASED_MAC), parameters)
}

export const nameOfSender = (subject: Uint8Array): Uint8Array => explicit(4, subject)

export interface StatusInfo {
  status: keyof typeof STATUSES
  text?: string
  failure?: Failure
}

/** PKIStatusInfo */
export const encodeStatus = ({ status, text, failure }: StatusInfo): Uint8Array =>
  sequence(
    integer(STATUSES[status]),
    ...(text === undefined || text === '' ? [] : [sequence(utf8String(text))]),
    ...(failure === undefined ? [] : [namedBitString([FAILURES[failure]])]),
  )

/** CertRepMessage with one answer (RFC 9810 5.3.4). `authorities`: caPubs, which only somebody may trust who shares a secret. */
export function encodeCertificateAnswer({
  requestId,
  status,
  certificate,
  authorities = [],
}: {
  requestId: number
  status: StatusInfo
  certificate?: Uint8Array
  authorities?: readonly Uint8Array[]
}): Uint8Array {
  const pair = certificate === undefined ? [] : [sequence(explicit(0, certificate))]
  return sequence(
    ...(authorities.length === 0 ? [] : [explicit(1, sequence(...authorities))]),
    sequence(sequence(integer(BigInt(requestId)), encodeStatus(status), ...pair)),
  )
}

export const encodeError = (status: StatusInfo): Uint8Array => sequence(encodeStatus(status))

export const encodePollAnswer = (requestId: number, seconds: number): Uint8Array =>
  sequence(sequence(integer(BigInt(requestId)), integer(seconds)))

export const encodeRevocationAnswer = (status: StatusInfo): Uint8Array => sequence(sequence(encodeStatus(status)))

/** CertConfirmContent (RFC 9810 5.3.18). No content confirms nothing: the client rejects. */
export interface Confirmation {
  hash: Uint8Array
  requestId: number
  /** of PKIStatusInfo; accepted where it is left out */
  status: number
  /** the hash that was used, where the client says so */
  digest: string | undefined
}

export function readConfirmations(content: DerValue): Confirmation[] {
  return elementsOf(content).map((one) => {
    const fields = fieldsOf(one)
    const hash = readOctetString(take(fields, 'certHash'))
    const requestId = readSmallInteger(take(fields, 'certReqId'), { min: -1 })
    let status: number = STATUSES.accepted
    let digest: string | undefined
    while (hasMore(fields)) {
      const next = take(fields, 'statusInfo')
      if (isContext(next, 0)) digest = DIGESTS[parseAlgorithm(explicitContent(next)).algorithm]
      else status = readSmallInteger(take(fieldsOf(next), 'status'))
    }
    return { hash, requestId, status, digest }
  })
}

/** PollReqContent: of one request. */
export const readPollRequests = (content: DerValue): number[] =>
  elementsOf(content, 1).map((one) => readSmallInteger(take(fieldsOf(one), 'certReqId'), { min: -1 }))

/** What an error or a refused answer says. */
export function readStatus(value: DerValue): { status: number; texts: string[]; failures: number[] } {
  const fields = fieldsOf(value)
  const status = readSmallInteger(take(fields, 'status'))
  const texts: string[] = []
  const failures: number[] = []
  while (hasMore(fields)) {
    const next = take(fields, 'statusString')
    if (next.tagNumber === TAG.sequence) texts.push(...elementsOf(next).map((text) => readString(text).value))
    else failures.push(...readNamedBits(next))
  }
  return { status, texts, failures }
}
