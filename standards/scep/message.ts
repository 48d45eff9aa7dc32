// Messages of SCEP (RFC 8894 section 3): a CMS SignedData whose signed attributes say what it is, around an EnvelopedData. Both sides are here: what a server
// reads and answers, and what a client sends.
import { randomBytes } from 'node:crypto'
import { certificatesAndLists } from '../cms/certificates-only.ts'
import { buildEnvelopedData, type CmsCipher } from '../cms/enveloped-data.ts'
import { buildSignedData, parseSignedData, verifySignedData, type CmsSigner } from '../cms/signed-data.ts'
import { berToDer } from '../der/ber.ts'
import { fieldsOf, finish, take } from '../der/fields.ts'
import { readDer } from '../der/reader.ts'
import { isPrintable, isString, readOctetString, readString, readUnsignedBytes } from '../der/values.ts'
import { integer, octetString, printableString, sequence, utf8String } from '../der/writer.ts'
import type { SignatureCheck } from '../x509/algorithms.ts'
import type { Certificate } from '../x509/certificate.ts'
import { parseName } from '../x509/names.ts'

const attributeArc = '2.16.840.1.113733.1.9'
const ATTRIBUTES = {
  messageType: `${attributeArc}.2`,
  pkiStatus: `${attributeArc}.3`,
  failInfo: `${attributeArc}.4`,
  senderNonce: `${attributeArc}.5`,
  recipientNonce: `${attributeArc}.6`,
  transactionId: `${attributeArc}.7`,
  /** RFC 8894 3.2.1.4.2 */
  failInfoText: '1.3.6.1.5.5.7.24.1',
} as const

/** RFC 8894 3.2.1.2. Every other number is refused. */
export const MESSAGE_TYPES = { CertRep: 3, RenewalReq: 17, PKCSReq: 19, CertPoll: 20, GetCert: 21, GetCRL: 22 } as const
export type MessageType = keyof typeof MESSAGE_TYPES

/** RFC 8894 3.2.1.4 */
export const FAIL_INFOS = { badAlg: 0, badMessageCheck: 1, badRequest: 2, badTime: 3, badCertId: 4 } as const
export type FailInfo = keyof typeof FAIL_INFOS

export class ScepError extends Error {
  readonly failInfo: FailInfo
  constructor(failInfo: FailInfo, message: string) {
    super(message)
    this.name = 'ScepError'
    this.failInfo = failInfo
  }
}

export interface ScepMessage {
  /** as it came: 0 to 255, and perhaps no type at all */
  messageType: number
  transactionId: string
  senderNonce: Uint8Array
  recipientNonce: Uint8Array | undefined
  pkiStatus: number | undefined
  failInfo: number | undefined
  failInfoText: string | undefined
  /** undefined where the message does not carry it */
  signer: Certificate | undefined
  check: SignatureCheck
  /** the EnvelopedData in DER; undefined where there is none */
  envelope: Uint8Array | undefined
}

export const MOST_MESSAGE_BYTES = 128 * 1024
const longestTransactionId = 255

/** Reads a pkiMessage, in BER or DER. Throws DerError for what is none, and ScepError for one without what each must have. */
export function readScepMessage(bytes: Uint8Array): ScepMessage {
  const message = parseSignedData(berToDer(bytes, { maxBytes: MOST_MESSAGE_BYTES }))
  const signers = verifySignedData(message)
  const [signer] = signers
  if (signer === undefined || signers.length !== 1) throw new ScepError('badMessageCheck', 'The message has not one signer')
  const single = (type: string): Uint8Array | undefined => {
    const values = signer.attributes?.find((each) => each.type === type)?.values
    return values?.length === 1 ? values[0] : undefined
  }
  const text = (type: string): string | undefined => {
    const der = single(type)
    if (der === undefined) return undefined
    const value = readDer(der)
    return isString(value) ? readString(value).value : undefined
  }
  const octets = (type: string): Uint8Array | undefined => {
    const der = single(type)
    return der === undefined ? undefined : readOctetString(readDer(der))
  }
  const number = (type: string): number | undefined => {
    const digits = text(type)
    return digits !== undefined && /^\d{1,3}$/.test(digits) ? Number(digits) : undefined
  }
  const messageType = number(ATTRIBUTES.messageType)
  const transactionId = text(ATTRIBUTES.transactionId)
  const senderNonce = octets(ATTRIBUTES.senderNonce)
  if (messageType === undefined) throw new ScepError('badRequest', 'The message has no messageType')
  if (transactionId === undefined || transactionId === '' || transactionId.length > longestTransactionId)
    throw new ScepError('badRequest', 'The message has no transactionID of 1 to 255 characters')
  // RFC 8894 3.2.1.1: the answer repeats it, and could not be written.
  if (!isPrintable(transactionId)) throw new ScepError('badRequest', 'The transactionID has characters that no PrintableString holds')
  if (senderNonce === undefined || senderNonce.length === 0 || senderNonce.length > 64)
    throw new ScepError('badRequest', 'The message has no senderNonce')
  return {
    messageType,
    transactionId,
    senderNonce,
    recipientNonce: octets(ATTRIBUTES.recipientNonce),
    pkiStatus: number(ATTRIBUTES.pkiStatus),
    failInfo: number(ATTRIBUTES.failInfo),
    failInfoText: text(ATTRIBUTES.failInfoText),
    signer: signer.certificate,
    check: signer.check,
    envelope: message.content === undefined || message.content.length === 0 ? undefined : message.content,
  }
}

interface Attributed {
  /** A number is for tests of what a server does with the others. */
  messageType: MessageType | number
  transactionId: string
  senderNonce?: Uint8Array
  recipientNonce?: Uint8Array
  pkiStatus?: number
  failInfo?: FailInfo
  failInfoText?: string
}

type Signing = Omit<CmsSigner, 'attributes'>

function sign(signer: Signing, said: Attributed, envelope: Uint8Array | undefined): Promise<Uint8Array> {
  const { messageType, transactionId, senderNonce = randomBytes(16), recipientNonce, pkiStatus, failInfo, failInfoText } = said
  const attribute = (type: string, value: Uint8Array | undefined) => (value === undefined ? [] : [{ type, values: [value] }])
  return buildSignedData({
    content: envelope ?? new Uint8Array(),
    detached: envelope === undefined,
    certificates: [signer.certificate.encoded],
    signers: [
      {
        ...signer,
        attributes: [
          ...attribute(
            ATTRIBUTES.messageType,
            printableString(String(typeof messageType === 'number' ? messageType : MESSAGE_TYPES[messageType])),
          ),
          ...attribute(ATTRIBUTES.transactionId, printableString(transactionId)),
          ...attribute(ATTRIBUTES.senderNonce, octetString(senderNonce)),
          ...attribute(ATTRIBUTES.recipientNonce, recipientNonce && octetString(recipientNonce)),
          ...attribute(ATTRIBUTES.pkiStatus, pkiStatus === undefined ? undefined : printableString(String(pkiStatus))),
          ...attribute(ATTRIBUTES.failInfo, failInfo === undefined ? undefined : printableString(String(FAIL_INFOS[failInfo]))),
          ...attribute(ATTRIBUTES.failInfoText, failInfoText === undefined || failInfoText === '' ? undefined : utf8String(failInfoText)),
        ],
      },
    ],
  })
}

export type ScepOutcome =
  | { certificates: readonly Uint8Array[]; lists?: readonly Uint8Array[] }
  | { failInfo: FailInfo; text?: string }
  | { pending: true }

export interface ScepAnswer {
  to: Pick<ScepMessage, 'transactionId' | 'senderNonce' | 'signer'>
  by: Signing
  outcome: ScepOutcome
  cipher?: CmsCipher
}

/** A CertRep (RFC 8894 3.3.2). A success is encrypted for whoever signed the request. */
export function buildCertRep({ to, by, outcome, cipher = 'aes-128-cbc' }: ScepAnswer): Promise<Uint8Array> {
  const said = { messageType: 'CertRep', transactionId: to.transactionId, recipientNonce: to.senderNonce } as const
  if ('pending' in outcome) return sign(by, { ...said, pkiStatus: 3 }, undefined)
  if ('failInfo' in outcome)
    return sign(by, { ...said, pkiStatus: 2, failInfo: outcome.failInfo, failInfoText: outcome.text ?? '' }, undefined)
  if (to.signer === undefined) throw new ScepError('badMessageCheck', 'The request does not carry the certificate of its signer')
  const content = certificatesAndLists(outcome)
  return sign(by, { ...said, pkiStatus: 0 }, buildEnvelopedData({ content, cipher, recipients: [to.signer], rsa: 'pkcs1' }))
}

/** What a client sends. */
export const buildScepRequest = ({
  by,
  to,
  content,
  cipher = 'aes-128-cbc',
  ...said
}: { by: Signing; to: Certificate; content: Uint8Array; cipher?: CmsCipher } & Attributed): Promise<Uint8Array> =>
  sign(by, said, buildEnvelopedData({ content, cipher, recipients: [to], rsa: 'pkcs1' }))

/** IssuerAndSerialNumber of GetCert and GetCRL. The serial is unsigned. */
export const encodeIssuerAndSerial = (issuer: Uint8Array, serial: Uint8Array): Uint8Array => sequence(issuer, integer(serial))

export type IssuerAndSerial = { issuer: Uint8Array; serial: Uint8Array }

export function readIssuerAndSerial(der: Uint8Array): IssuerAndSerial {
  const fields = fieldsOf(readDer(der))
  const issuer = take(fields, 'issuer').encoded
  const serial = readUnsignedBytes(take(fields, 'serialNumber'))
  finish(fields)
  return { issuer, serial }
}

/** IssuerAndSubject of CertPoll (RFC 8894 3.3.3), which names whose certificate is waited for. */
export const encodeIssuerAndSubject = (issuer: Uint8Array, subject: Uint8Array): Uint8Array => sequence(issuer, subject)

export function readIssuerAndSubject(der: Uint8Array): { issuer: Uint8Array; subject: Uint8Array } {
  const fields = fieldsOf(readDer(der))
  const [issuer, subject] = [take(fields, 'issuer'), take(fields, 'subject')]
  for (const name of [issuer, subject]) parseName(name)
  finish(fields)
  return { issuer: issuer.encoded, subject: subject.encoded }
}

/** The message of a GET (RFC 8894 4.1), as clients write it: percent signs, a plus that was not escaped and came as a blank, line breaks, no padding. */
export function readGetMessage(query: string): Uint8Array | undefined {
  const [, raw] = /(?:^|&)message=([^&]*)/.exec(query) ?? []
  if (raw === undefined || raw.length > MOST_MESSAGE_BYTES * 2) return undefined
  let text: string
  try {
    text = decodeURIComponent(raw)
  } catch {
    return undefined
  }
  const base64 = text
    .replace(/[\r\n\t]/g, '')
    .replaceAll(' ', '+')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}
