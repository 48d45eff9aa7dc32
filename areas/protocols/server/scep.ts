// The SCEP server (RFC 8894): what it can, its certificates, and one operation for everything else. A request that can be read is answered by a signed message,
// refusals among them; whatever goes wrong with its encryption has one answer, so that nobody learns anything by asking often.

import { openCsrBytes } from '#areas/authorities/csr.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { wholeListOf } from '#areas/revocation/protocols.ts'
import type { EndpointAnswer, EndpointHandler, EndpointRequest } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { openEnvelopedData, parseEnvelopedData, receives, type CmsCipher } from '#standards/cms/enveloped-data.ts'
import { CmsError } from '#standards/cms/message.ts'
import { berToDer } from '#standards/der/ber.ts'
import { DerError, readDer } from '#standards/der/reader.ts'
import { isString, readString } from '#standards/der/values.ts'
import { say } from '#standards/say/say.ts'
import {
  buildCertRep,
  MESSAGE_TYPES,
  MOST_MESSAGE_BYTES,
  readGetMessage,
  readIssuerAndSerial,
  readIssuerAndSubject,
  readScepMessage,
  ScepError,
  type FailInfo,
  type IssuerAndSerial,
  type ScepMessage,
  type ScepOutcome,
} from '#standards/scep/message.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { parseCsr, type Csr } from '#standards/x509/csr.ts'
import { OIDS } from '#standards/x509/oids.ts'
import {
  askedBy,
  enrol,
  issuedOf,
  isOver,
  isRepeat,
  keyHashOf,
  refuse,
  secretEnded,
  settle,
  type Attempt,
  type Outcome,
  type Refused,
} from './enrol.ts'
import { findIntune } from './intune-store.ts'
import { IntuneError, openIntune, validateByIntune } from './intune.ts'
import { registrarsOf, type Registrars } from './registrar.ts'
import { certificateToRenew } from './renewing.ts'
import { findSecret, findSecretByHash } from './secret-store.ts'
import type { TransactionRecord } from './store.ts'
import { findTransactionByKey, findTransactionOfCertificate } from './transaction-store.ts'
import { countRequest, countWrongSecret, faultAnswer, hashOf, noStore, openDoor, plainAnswer, type Door } from './wire.ts'

export const scepEndpoint: EndpointHandler = {
  bodyLimit: MOST_MESSAGE_BYTES,
  async handle(request) {
    try {
      return await serveScep(request)
    } catch (error) {
      return faultAnswer(error, request)
    }
  },
}

/** GetNextCACert is said to be possible only where it is. strongSwan 5.9.8 reads the positions of its own list as bits, and finds what it needs where SHA-384 stands. */
const capabilities = ['AES', 'POSTPKIOperation', 'Renewal', 'SHA-256', 'SHA-384', 'SHA-512', 'SCEPStandard']

async function serveScep(request: EndpointRequest): Promise<EndpointAnswer> {
  const door = await openDoor(request, 'scep')
  if (door === undefined) return plainAnswer(404, 'There is no SCEP server at this address')
  const operation = request.url.searchParams.get('operation')
  if (operation === 'GetCACaps') return plainAnswer(200, capabilities.join('\n'))
  if (operation !== 'GetCACert' && operation !== 'GetNextCACert' && operation !== 'PKIOperation')
    return plainAnswer(400, 'Name an operation: GetCACaps, GetCACert, GetNextCACert or PKIOperation')
  const { house, tenantId, profile } = door
  const registrars = await registrarsOf(house, tenantId, profile)
  if (registrars === undefined) return plainAnswer(503, 'The authority of this profile certifies nothing now', { 'retry-after': '3600' })
  if (operation === 'GetCACert') return caCertificates(registrars)
  // RFC 8894 4.7: an authority is followed under its own name, and whoever asks again by GetCACert gets its successor.
  if (operation === 'GetNextCACert') return plainAnswer(404, 'There is no next certificate of this authority yet')
  const bytes = request.method === 'POST' ? await request.body() : readGetMessage(request.url.search.slice(1))
  if (bytes === undefined || bytes.length === 0) return plainAnswer(400, 'The message is missing, or is not base64')
  return operate(door, registrars, bytes)
}

/** RFC 8894 4.2.1.2: the key of the profile first, because some clients take the first that encrypts. */
const caCertificates = ({ current, chain }: Registrars): EndpointAnswer => ({
  headers: { ...noStore, 'content-type': 'application/x-x509-ca-ra-cert' },
  body: certificatesOnly([current.certificate.encoded, ...chain]),
})

/** What a message holds, read: of a poll nothing counts but that it is what it should be. */
type Content = { csr: Uint8Array } | { named: IssuerAndSerial } | { polled: true }
type Operation = { door: Door; registrars: Registrars; message: ScepMessage; content: Content }

const failed = (failInfo: FailInfo, text = ''): ScepOutcome => ({ failInfo, text })

async function operate(door: Door, registrars: Registrars, bytes: Uint8Array): Promise<EndpointAnswer> {
  // Counted first: whatever it is, it costs a decryption and a signature.
  await countRequest(door)
  let message: ScepMessage
  try {
    message = readScepMessage(bytes)
  } catch (error) {
    if (error instanceof DerError || error instanceof ScepError) return plainAnswer(400, `This is no SCEP message: ${error.message}`)
    throw error
  }
  let cipher: CmsCipher = 'aes-128-cbc'
  const outcome = await (async (): Promise<ScepOutcome> => {
    if (message.signer === undefined || !message.check.ok)
      return failed('badMessageCheck', message.check.ok ? say`The certificate of the signer is missing` : message.check.reason)
    if (!receives(message.signer))
      return failed('badAlg', say`The message is signed by a key to which no answer can be encrypted: use RSA or EC`)
    const handler = handlers[message.messageType]
    if (handler === undefined) return failed('badRequest', say`Messages of the type ${message.messageType} are not answered`)
    const opened = openEnvelope(message, registrars)
    if ('failInfo' in opened) return opened
    cipher = opened.cipher
    return handler({ door, registrars, message, content: opened.content })
  })()
  const { current } = registrars
  return {
    headers: { ...noStore, 'content-type': 'application/x-pki-message' },
    body: await buildCertRep({ to: message, by: { ...current, signingTime: door.now, plainRsa: true }, outcome, cipher }),
  }
}

const cannotOpen = 'The message cannot be opened with the key of this profile'

/**
 * Whoever has the address may send what they like: a wrong padding, a wrong key, a wrong recipient and a content that is not what the type wants are answered
 * alike, because whoever can tell a wrong padding reads a recorded message block by block.
 */
function openEnvelope(
  message: ScepMessage,
  { all }: Registrars,
): { content: Content; cipher: CmsCipher } | { failInfo: FailInfo; text: string } {
  if (message.envelope === undefined) return { failInfo: 'badRequest', text: 'The message has no content' }
  try {
    const enveloped = parseEnvelopedData(berToDer(message.envelope, { maxBytes: MOST_MESSAGE_BYTES }))
    const { cipher } = enveloped
    if (cipher === undefined || cipher === 'des-ede3-cbc')
      return { failInfo: 'badAlg', text: 'The message is encrypted by an algorithm that is not taken: AES is' }
    for (const { certificate, privateKey } of all) {
      try {
        return { content: readContent(message.messageType, openEnvelopedData(enveloped, { certificate, privateKey })), cipher }
      } catch (error) {
        if (!(error instanceof CmsError) && !(error instanceof DerError)) throw error
      }
    }
    return { failInfo: 'badMessageCheck', text: cannotOpen }
  } catch (error) {
    if (error instanceof DerError || error instanceof CmsError) return { failInfo: 'badMessageCheck', text: cannotOpen }
    throw error
  }
}

/** Throws DerError. */
function readContent(type: number, bytes: Uint8Array): Content {
  if (type === MESSAGE_TYPES.CertPoll) {
    readIssuerAndSubject(bytes)
    return { polled: true }
  }
  if (type === MESSAGE_TYPES.GetCert || type === MESSAGE_TYPES.GetCRL) return { named: readIssuerAndSerial(bytes) }
  parseCsr(bytes)
  return { csr: bytes }
}

/** Every other number is refused: an update request that skipped the checks was somebody else's hole. */
const handlers: Partial<Record<number, (operation: Operation) => Promise<ScepOutcome>>> = {
  [MESSAGE_TYPES.PKCSReq]: (operation) => request(operation, false),
  [MESSAGE_TYPES.RenewalReq]: (operation) => request(operation, true),
  [MESSAGE_TYPES.CertPoll]: poll,
  [MESSAGE_TYPES.GetCert]: getCertificate,
  [MESSAGE_TYPES.GetCRL]: getList,
}

const failInfos: Record<Refused['cause'], FailInfo> = {
  request: 'badRequest',
  secret: 'badRequest',
  transaction: 'badRequest',
  owner: 'badRequest',
  certificate: 'badCertId',
}

function answered(outcome: Outcome): ScepOutcome {
  if ('refused' in outcome) return failed(failInfos[outcome.cause], outcome.refused)
  return outcome.issued === undefined
    ? { pending: true }
    : { certificates: [outcome.issued.certificate.certificate, ...outcome.issued.chain] }
}

async function request(operation: Operation, isRenewal: boolean): Promise<ScepOutcome> {
  const { door, message, content } = operation
  if (!('csr' in content)) return failed('badMessageCheck', cannotOpen)
  const { house, tenantId, profile, address } = door
  const about = { house, tenantId, profile, key: message.transactionId, kind: isRenewal ? 'renewal' : 'initial', address } as const
  // Nothing is proven yet: it is counted as a wrong secret is, because it leaves a row.
  const no = async (cause: Refused['cause'], refused: string) => {
    await countWrongSecret(door)
    return answered(await refuse(about, { cause, refused }))
  }
  const opened = openCsrBytes(content.csr)
  if ('faults' in opened) return no('request', opened.faults.map(({ says }) => says).join('; '))
  const { csr } = opened
  const challenge = challengeOf(csr)
  if (!isRenewal && challenge !== undefined) {
    // RFC 8894 2.3: before there is a certificate, the message is signed by the key that asks.
    if (message.signer === undefined || keyHashOf(message.signer.publicKey.spki) !== keyHashOf(csr.publicKey.spki))
      return no('request', 'The message is not signed by the key that the request is for')
    const secret = await withTenancy(house, tenantId, (tenancy) => findSecretByHash(tenancy, profile.id, hashOf(challenge)))
    if (secret === undefined) {
      const by = { vouched: true, challengeHash: hashOf(challenge) } as const
      const vouched = await vouchedFor(door, { transactionId: message.transactionId, csr, by })
      if (vouched === undefined) return no('secret', secretEnded)
      if ('under' in vouched) return answered(await settle(house, tenantId, profile, vouched.under))
      if ('refused' in vouched) return no('secret', vouched.refused)
      // No fault of the client's: it is not counted as one.
      if ('silent' in vouched) return answered(await refuse(about, { cause: 'secret', refused: vouched.silent }))
      return answered(await enrol({ ...about, csr: content.csr, by }))
    }
    return answered(await enrol({ ...about, csr: content.csr, by: { secret } }))
  }
  const renews = await certificateToRenew(door, message.signer)
  if (typeof renews === 'string') return no(challenge === undefined && !isRenewal ? 'secret' : 'certificate', renews)
  return answered(await enrol({ ...about, kind: 'renewal', csr: content.csr, by: { renews } }))
}

type Vouched = { vouched: true } | { under: TransactionRecord } | { refused: string } | { silent: string }

/** What Intune says of a challenge that is none of ours; undefined where the profile does not ask it. Nothing is allowed by its silence. */
async function vouchedFor(
  { house, tenantId, profile }: Door,
  { transactionId, csr, by }: { transactionId: string; csr: Csr; by: Attempt['by'] },
): Promise<Vouched | undefined> {
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    const row = await findIntune(tenancy, profile.id)
    if (row?.enabled !== true) return undefined
    // Whoever asks again for the same is answered the same; for anything else the challenge is used (`isChallengeUsed`).
    const before = await findTransactionByKey(tenancy, profile.id, transactionId)
    const asked = askedBy({ csr: csr.encoded })
    const isSame =
      before?.vouched === true &&
      !('refused' in asked) &&
      isRepeat(before, { csr: csr.encoded, by }, asked) &&
      !(await isOver(tenancy, before))
    return { under: isSame ? before : undefined, intune: await openIntune(house, tenancy, row) }
  })
  if (found === undefined) return undefined
  if (found.under !== undefined) return { under: found.under }
  try {
    const refused = await validateByIntune(found.intune, { transactionId, csr: csr.encoded })
    return refused === undefined ? { vouched: true } : { refused }
  } catch (error) {
    if (!(error instanceof IntuneError)) throw error
    return { silent: `Intune cannot be asked now: ${error.message}` }
  }
}

function challengeOf({ attributes }: Csr): string | undefined {
  const der = attributes.find(({ type }) => type === OIDS.challengePassword)?.values[0]
  if (der === undefined) return undefined
  const value = readDer(der)
  const text = isString(value) ? readString(value).value.trim() : ''
  return text === '' ? undefined : text
}

/** RFC 8894 3.3.3: a client asks again with the key by which it asked. */
async function poll({ door, message }: Operation): Promise<ScepOutcome> {
  const { house, tenantId, profile } = door
  const transaction = await withTenancy(house, tenantId, (tenancy) => findTransactionByKey(tenancy, profile.id, message.transactionId))
  if (transaction === undefined || message.signer === undefined) return failed('badCertId', say`There is no such transaction`)
  const asker = keyHashOf(message.signer.publicKey.spki)
  const isAsker = transaction.key_hash === asker || (await keyHashOfRenewed(door, transaction)) === asker
  if (!isAsker) return failed('badCertId', say`There is no such transaction`)
  if (transaction.state === 'refused') return failed('badRequest', transaction.reason)
  const { secret_id: secretId } = transaction
  const secret = secretId === null ? undefined : await withTenancy(house, tenantId, (tenancy) => findSecret(tenancy, secretId))
  // It is in the wrong hands: what somebody agrees to afterwards is not theirs to collect.
  if (secret !== undefined && secret.ended_at !== null) return failed('badRequest', secretEnded)
  return answered(await settle(house, tenantId, profile, transaction))
}

/** Who renews asks by the certificate that it has. */
async function keyHashOfRenewed({ house, tenantId }: Door, { renews }: TransactionRecord): Promise<string | undefined> {
  const held = renews === null ? undefined : await issuedOf(house, tenantId, renews)
  return held && keyHashOf(parseCertificate(held.certificate.certificate).publicKey.spki)
}

/** RFC 8894 3.3.4: what came by this profile, and nothing else. */
async function getCertificate({ door, registrars, content }: Operation): Promise<ScepOutcome> {
  const { house, tenantId, profile } = door
  const named = 'named' in content ? content.named : undefined
  if (named === undefined || !Buffer.from(named.issuer).equals(registrars.issuer.subjectEncoded))
    return failed('badCertId', say`There is no such certificate`)
  const certificate = await withTenancy(house, tenantId, async (tenancy) => {
    const reference = { caId: registrars.issuer.caId, certId: Buffer.from(named.serial).toString('hex') }
    const found = await findCertificate(tenancy.db, tenantId, reference, tenancy.now)
    return found && (await findTransactionOfCertificate(tenancy, profile.id, found.id)) && found
  })
  const issued = certificate && (await issuedOf(house, tenantId, certificate.id))
  return issued === undefined ? failed('badCertId', say`There is no such certificate`) : { certificates: [issued.certificate.certificate] }
}

async function getList({ door, registrars, content }: Operation): Promise<ScepOutcome> {
  const { house, tenantId } = door
  const { issuer } = registrars
  const named = 'named' in content ? content.named : undefined
  if (named === undefined || !Buffer.from(named.issuer).equals(issuer.subjectEncoded))
    return failed('badCertId', say`There is no such authority here`)
  const list = await wholeListOf(house, { tenantId, caId: issuer.caId })
  return list === undefined
    ? failed('badCertId', say`The list of this authority is fetched from the address in its certificates`)
    : { certificates: [], lists: [list] }
}
