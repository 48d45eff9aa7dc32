// The host's side of a PIV card (SP 800-73-5 part 2) over one function that carries an APDU to the card and its answer back. It knows of no reader and keeps
// no PIN. Functions that Yubico added are used where the card has them; each is asked for, never assumed.

import { randomBytes, type KeyObject } from 'node:crypto'
import { chainOf, encodeCommand, INS, parseResponse, type Command, type Response } from './apdu.ts'
import {
  keyAlgorithms,
  managementAlgorithmNames,
  managementAlgorithmOf,
  managementAlgorithms,
  managementReference,
  pinReference,
  pivApplication,
  pukReference,
  type CardKeyAlgorithm,
  type ManagementAlgorithm,
  type Slot,
} from './identifiers.ts'
import { decryptBlock, encryptBlock, sameBytes, type ManagementKey } from './management-key.ts'
import { contentOf } from './objects.ts'
import { parsePublicKey } from './public-keys.ts'
import { toBeSigned } from './signing.ts'
import { CardRefused, STATUS, triesLeft } from './status.ts'
import { encodeTlv, findTlv, readTlvs, takeTlv, TlvError } from './tlv.ts'

export type Transmit = (command: Uint8Array) => Promise<Uint8Array>
export type PivCard = { send(did: string, command: Command): Promise<Uint8Array>; ask(command: Command): Promise<Response> }

/** No answer of a card is longer. */
const mostAnswered = 65_536

/** Joins chains and answers in parts; `ask` gives whatever the card says, `send` throws CardRefused for anything but 9000. */
export function openCard(transmit: Transmit): PivCard {
  const once = async (command: Command): Promise<Response> => {
    const bytes = encodeCommand(command)
    const answer = parseResponse(await transmit(bytes))
    // The card names the length that it wants.
    if (answer.sw >> 8 !== STATUS.wrongLe) return answer
    return parseResponse(await transmit(encodeCommand({ ...command, le: answer.sw & 0xff })))
  }
  const ask: PivCard['ask'] = async (command) => {
    const parts = chainOf(command)
    let answer: Response = { data: new Uint8Array(), sw: STATUS.ok }
    for (const [at, part] of parts.entries()) {
      answer = await once(part)
      if (at < parts.length - 1 && answer.sw !== STATUS.ok) return answer
    }
    const pieces = [answer.data]
    let length = answer.data.length
    while (answer.sw >> 8 === STATUS.moreData) {
      answer = await once({ ins: INS.getResponse, p1: 0, p2: 0, le: answer.sw & 0xff })
      pieces.push(answer.data)
      length += answer.data.length
      if (length > mostAnswered) throw new TlvError('The card does not come to an end')
    }
    return { data: Buffer.concat(pieces), sw: answer.sw }
  }
  return {
    ask,
    async send(did, command) {
      const { data, sw } = await ask(command)
      if (sw !== STATUS.ok) throw new CardRefused(did, sw)
      return data
    },
  }
}

export async function selectPiv(card: PivCard): Promise<void> {
  await card.send('The PIV application was not selected', { ins: INS.select, p1: 4, p2: 0, data: pivApplication, le: 0 })
}

/** An object's content; undefined where the card has none. */
export async function readObject(card: PivCard, tag: number): Promise<Uint8Array | undefined> {
  const { data, sw } = await card.ask({ ins: INS.getData, p1: 0x3f, p2: 0xff, data: tagList(tag), le: 0 })
  if (sw === STATUS.notFound) return undefined
  if (sw !== STATUS.ok) throw new CardRefused('An object could not be read', sw)
  const content = contentOf(data)
  return content.length === 0 ? undefined : content
}

/** Needs the management key; an object without content is removed. */
export async function writeObject(card: PivCard, tag: number, content: Uint8Array): Promise<void> {
  const data = Buffer.concat([tagList(tag), encodeTlv(0x53, content)])
  await card.send('An object could not be written', { ins: INS.putData, p1: 0x3f, p2: 0xff, data })
}

const tagList = (tag: number) => encodeTlv(0x5c, tag > 0xff ? Uint8Array.of(tag >> 16, (tag >> 8) & 0xff, tag & 0xff) : Uint8Array.of(tag))

/** PINs and PUKs as the card takes them, eight bytes. */
const padded = (digits: string): Uint8Array => {
  const bytes = Buffer.alloc(8, 0xff)
  if (!/^[\x20-\x7e]{4,8}$/.test(digits)) throw new RangeError('A PIN has 4 to 8 characters')
  bytes.write(digits, 'latin1')
  return bytes
}

export type Tries = { ok: true } | { ok: false; left: number }

function outcomeOf(did: string, { sw }: Response): Tries {
  if (sw === STATUS.ok) return { ok: true }
  const left = triesLeft(sw)
  if (left === undefined) throw new CardRefused(did, sw)
  return { ok: false, left }
}

/** Costs a try where it is wrong. */
export const verifyPin = async (card: PivCard, pin: string): Promise<Tries> =>
  outcomeOf('The PIN was not checked', await card.ask({ ins: INS.verify, p1: 0, p2: pinReference, data: padded(pin) }))

/** How many tries the PIN has left; undefined where it is verified now, and costs nothing. */
export async function pinTries(card: PivCard): Promise<number | undefined> {
  const answer = await card.ask({ ins: INS.verify, p1: 0, p2: pinReference })
  const outcome = outcomeOf('The tries of the PIN are not known', answer)
  return outcome.ok ? undefined : outcome.left
}

const change = (card: PivCard, reference: number, { before, after }: { before: string; after: string }) =>
  card.ask({ ins: INS.changeReference, p1: 0, p2: reference, data: Buffer.concat([padded(before), padded(after)]) })

export const changePin = async (card: PivCard, pins: { before: string; after: string }): Promise<Tries> =>
  outcomeOf('The PIN was not changed', await change(card, pinReference, pins))
export const changePuk = async (card: PivCard, puks: { before: string; after: string }): Promise<Tries> =>
  outcomeOf('The PUK was not changed', await change(card, pukReference, puks))

/** Sets the PIN by the PUK; the tries that are left are the PUK's. */
export const resetPin = async (card: PivCard, { puk, pin }: { puk: string; pin: string }): Promise<Tries> =>
  outcomeOf(
    'The PIN was not reset',
    await card.ask({ ins: INS.resetRetry, p1: 0, p2: pinReference, data: Buffer.concat([padded(puk), padded(pin)]) }),
  )

export type Metadata = {
  algorithm: number | undefined
  isFactory: boolean | undefined
  tries: { most: number; left: number } | undefined
  publicParts: Uint8Array | undefined
}

/** What the card tells of a key, a PIN or a PUK; undefined where it does not tell. */
export async function readMetadata(card: PivCard, reference: number): Promise<Metadata | undefined> {
  const { data, sw } = await card.ask({ ins: INS.metadata, p1: 0, p2: reference, le: 0 })
  if (sw !== STATUS.ok) return undefined
  const byte = (tag: number) => findTlv(data, tag)?.[0]
  const [most, left] = findTlv(data, 0x06) ?? []
  const fresh = byte(0x05)
  return {
    algorithm: byte(0x01),
    isFactory: fresh === undefined ? undefined : fresh === 1,
    tries: most === undefined || left === undefined ? undefined : { most, left },
    publicParts: findTlv(data, 0x04),
  }
}

const authenticate = (card: PivCard, did: string, target: { algorithm: number; reference: number }, template: Uint8Array) =>
  card.send(did, { ins: INS.authenticate, p1: target.algorithm, p2: target.reference, data: template, le: 0 })

/** Which algorithm the management key has: the card tells, or a challenge of each is asked for. Undefined where it has none that we know. */
export async function managementAlgorithm(card: PivCard): Promise<ManagementAlgorithm | undefined> {
  const metadata = await readMetadata(card, managementReference)
  if (metadata?.algorithm !== undefined) return managementAlgorithmOf(metadata.algorithm)
  for (const name of managementAlgorithmNames) {
    const { id, block } = managementAlgorithms[name]
    const data = encodeTlv(0x7c, encodeTlv(0x80))
    const answer = await card.ask({ ins: INS.authenticate, p1: id, p2: managementReference, data, le: 0 })
    if (answer.sw === STATUS.ok && findTlv(takeTlv(answer.data, 0x7c), 0x80)?.length === block) return name
  }
  return undefined
}

/** Both sides prove that they know the key. False where the card does not take it; throws where the card does not know it. */
export async function authenticateManager(card: PivCard, key: ManagementKey): Promise<boolean> {
  const { id: algorithm, block } = managementAlgorithms[key.algorithm]
  const target = { algorithm, reference: managementReference }
  const did = 'The management key was not taken'
  const asked = await authenticate(card, did, target, encodeTlv(0x7c, encodeTlv(0x80)))
  const witness = takeTlv(takeTlv(asked, 0x7c), 0x80)
  if (witness.length !== block) throw new TlvError('The witness of the card has the wrong length')
  const challenge = randomBytes(block)
  const data = encodeTlv(0x7c, encodeTlv(0x80, decryptBlock(key, witness)), encodeTlv(0x81, challenge))
  const { data: answer, sw } = await card.ask({ ins: INS.authenticate, p1: algorithm, p2: managementReference, data, le: 0 })
  if (sw === STATUS.notAllowed || sw === STATUS.wrongData || triesLeft(sw) !== undefined) return false
  if (sw !== STATUS.ok) throw new CardRefused(did, sw)
  if (!sameBytes(takeTlv(takeTlv(answer, 0x7c), 0x82), encryptBlock(key, challenge)))
    throw new CardRefused('The card does not know its own management key', sw)
  return true
}

/** Needs the present key. */
export async function setManagementKey(card: PivCard, { algorithm, key }: ManagementKey): Promise<void> {
  const data = Uint8Array.from([managementAlgorithms[algorithm].id, managementReference, key.length, ...key])
  await card.send('The management key was not set', { ins: INS.setManagementKey, p1: 0xff, p2: 0xff, data })
}

/** Makes a key in the slot; it never leaves the card. Needs the management key. */
export async function generateKey(card: PivCard, { reference }: Pick<Slot, 'reference'>, algorithm: CardKeyAlgorithm): Promise<KeyObject> {
  const data = encodeTlv(0xac, encodeTlv(0x80, Uint8Array.of(keyAlgorithms[algorithm].id)))
  const answer = await card.send('The key was not made', { ins: INS.generateKey, p1: 0, p2: reference, data, le: 0 })
  return parsePublicKey(algorithm, answer)
}

/** The signature of the data by the key in a slot; most slots need the PIN first, 9C just before. */
export async function signOnCard(
  card: PivCard,
  { reference }: Pick<Slot, 'reference'>,
  algorithm: CardKeyAlgorithm,
  data: Uint8Array,
): Promise<Uint8Array> {
  const template = encodeTlv(0x7c, encodeTlv(0x82), encodeTlv(0x81, toBeSigned(algorithm, data)))
  const target = { algorithm: keyAlgorithms[algorithm].id, reference }
  return takeTlv(takeTlv(await authenticate(card, 'The card did not sign', target, template), 0x7c), 0x82)
}

/** Deletes the key of a slot, where the card can: undefined says that it cannot. */
export async function deleteKey(card: PivCard, { reference }: Pick<Slot, 'reference'>): Promise<boolean | undefined> {
  const { sw } = await card.ask({ ins: INS.moveKey, p1: 0xff, p2: reference })
  return sw === STATUS.ok ? true : sw === STATUS.noReference ? false : undefined
}

/** Makes the application as it was when new. The card does it only while PIN and PUK are blocked. */
export const resetApplication = (card: PivCard): Promise<Uint8Array> =>
  card.send('The application was not reset', { ins: INS.reset, p1: 0, p2: 0 })

/** Sets the tries of PIN and PUK, and both to what cards are made with. Needs the management key and the PIN. */
export const setTries = (card: PivCard, { pin, puk }: { pin: number; puk: number }): Promise<Uint8Array> =>
  card.send('The tries were not set', { ins: INS.setRetries, p1: pin, p2: puk })

export type CardIdentity = { serial: string; kind: 'yubico' | 'chip' | 'guid'; firmware: string | undefined }

/** What names the card for good: the maker's serial number, the chip's production data, or the GUID; undefined where it has none of them. */
export async function identify(card: PivCard): Promise<CardIdentity | undefined> {
  const version = await card.ask({ ins: INS.version, p1: 0, p2: 0, le: 0 })
  const serial = await card.ask({ ins: INS.serial, p1: 0, p2: 0, le: 0 })
  const firmware = version.sw === STATUS.ok && version.data.length === 3 ? version.data.join('.') : undefined
  if (serial.sw === STATUS.ok && serial.data.length === 4)
    return { serial: String(Buffer.from(serial.data).readUInt32BE()), kind: 'yubico', firmware }
  const chip = await card.ask({ cla: 0x80, ins: INS.getCardData, p1: 0x9f, p2: 0x7f, le: 0 })
  if (chip.sw === STATUS.ok) {
    const [production] = safely(() => readTlvs(chip.data)) ?? []
    // Fabricator, type, the chip's serial number and batch (GlobalPlatform 2.3.1, H.6).
    if (production?.tag === 0x9f7f && production.value.length >= 18) {
      const { value } = production
      return {
        serial: Buffer.concat([value.subarray(0, 4), value.subarray(12, 18)])
          .toString('hex')
          .toUpperCase(),
        kind: 'chip',
        firmware,
      }
    }
  }
  const chuid = await readObject(card, 0x5fc102)
  const guid = chuid === undefined ? undefined : safely(() => findTlv(chuid, 0x34))
  return guid?.length === 16 ? { serial: Buffer.from(guid).toString('hex').toUpperCase(), kind: 'guid', firmware } : undefined
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TlvError) return undefined
    throw error
  }
}
