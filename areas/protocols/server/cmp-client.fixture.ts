// A CMP client for tests that writes each field of a message as it is told to, and reads what it is answered, with the check of its protection.

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { BODIES, FAILURES, protectionKind, readCmpMessage, readStatus, signatureFaultOf, type BodyName } from '#standards/cmp/message.ts'
import { elementsOf } from '#standards/der/fields.ts'
import { readDer } from '#standards/der/reader.ts'
import { bitString, explicit, generalizedTime, integer, nullValue, octetString, oid, sequence } from '#standards/der/writer.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { OIDS } from '#standards/x509/oids.ts'

const hmacs = { sha1: '1.2.840.113549.2.7', sha256: '1.2.840.113549.2.9' } as const
type Digest = keyof typeof hmacs
const digestOids = { sha1: '1.3.14.3.2.26', sha256: OIDS.sha256 } as const

/** What the key of a MAC is made by. `iterations`: as they are written; they are computed where that takes no week. */
export type MacWish = { kind?: 'pbm' | 'pbmac1'; iterations?: number; owf?: Digest }

export type CmpWish = {
  body?: BodyName
  content: Uint8Array
  reference: string
  secret: string
  version?: number
  /** Null leaves the field out. */
  transactionId?: Uint8Array | null
  senderNonce?: Uint8Array | null
  messageTime?: Date
  mac?: MacWish
}

const spelt = (type: string, ...parameters: Uint8Array[]): Uint8Array => sequence(oid(type), ...parameters)
const dearest = 200_000

function macOf({ kind = 'pbm', iterations = 1_000, owf = 'sha256' }: MacWish, secret: string) {
  const salt = randomBytes(16)
  const rounds = iterations > dearest ? 1 : iterations
  if (kind === 'pbmac1') {
    const derivation = spelt(
      '1.2.840.113549.1.5.12',
      sequence(octetString(salt), integer(iterations), integer(32), spelt(hmacs[owf], nullValue())),
    )
    return {
      algorithm: spelt('1.2.840.113549.1.5.14', sequence(derivation, spelt(hmacs.sha256, nullValue()))),
      key: pbkdf2Sync(secret, salt, rounds, 32, owf),
    }
  }
  let key: Uint8Array = Buffer.concat([Buffer.from(secret), salt])
  for (let round = 0; round < rounds; round += 1) key = createHash(owf).update(key).digest()
  const parameters = sequence(octetString(salt), spelt(digestOids[owf], nullValue()), integer(iterations), spelt(hmacs.sha256, nullValue()))
  return { algorithm: spelt('1.2.840.113533.7.66.13', parameters), key }
}

const nobody = explicit(4, sequence())

export function buildCmpRequest({
  body = 'p10cr',
  content,
  reference,
  secret,
  version = 2,
  transactionId = randomBytes(16),
  senderNonce = randomBytes(16),
  messageTime,
  mac = {},
}: CmpWish): Uint8Array {
  const { algorithm, key } = macOf(mac, secret)
  const header = sequence(
    integer(version),
    nobody,
    nobody,
    ...(messageTime === undefined ? [] : [explicit(0, generalizedTime(messageTime))]),
    explicit(1, algorithm),
    explicit(2, octetString(Buffer.from(reference))),
    ...(transactionId === null ? [] : [explicit(4, octetString(transactionId))]),
    ...(senderNonce === null ? [] : [explicit(5, octetString(senderNonce))]),
  )
  const bodyBytes = explicit(BODIES[body], content)
  const bits = createHmac('sha256', key).update(sequence(header, bodyBytes)).digest()
  return sequence(header, bodyBytes, explicit(0, bitString(bits)))
}

/** What an answer says: its body, its first failure by name, its sentence, and by what it is protected. */
export function readCmpAnswer(bytes: Uint8Array) {
  const message = readCmpMessage(bytes)
  const [body] = Object.entries(BODIES).find(([, number]) => number === message.body) ?? ['?']
  const kind = protectionKind(message)
  const signer = message.extraCertificates[0]
  const isSigned =
    kind === 'signature' && signer !== undefined && signatureFaultOf(message, parseCertificate(readDer(signer).encoded)) === undefined
  // A refusal of a request stands in its answer, one of a message in an error.
  const info =
    body === 'error'
      ? elementsOf(message.content)[0]
      : ['ip', 'cp', 'kup'].includes(body)
        ? elementsOf(elementsOf(elementsOf(message.content).at(-1) ?? message.content)[0] ?? message.content)[1]
        : undefined
  const status = info === undefined ? undefined : readStatus(info)
  const [failure] = Object.entries(FAILURES).find(([, bit]) => bit === status?.failures[0]) ?? []
  return {
    body,
    status: status?.status,
    failure,
    text: status?.texts[0] ?? '',
    protection: kind === 'signature' && !isSigned ? 'none' : kind,
  }
}
