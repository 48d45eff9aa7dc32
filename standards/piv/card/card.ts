// A PIV card in memory, for machines without a reader and for tests. It answers APDUs as a card does: chains, long answers in parts, PINs that block, a management
// key that both sides prove, keys that do not leave it. `changed` hears of each change, so that it can be kept on disk.

import { randomBytes } from 'node:crypto'
import { managerAid } from '../../globalplatform/manager.ts'
import { openVirtualManager } from '../../globalplatform/virtual-manager.ts'
import { encodeResponse, INS, parseCommand, chainBit, ApduError, type Response } from '../apdu.ts'
import {
  managementAlgorithms,
  managementReference,
  pinReference,
  pivApplication,
  pukReference,
  keyAlgorithms,
  slots,
} from '../identifiers.ts'
import { decryptBlock, encryptBlock, sameBytes } from '../management-key.ts'
import { encodeCertificate, encodeDiscovery } from '../objects.ts'
import { encodePublicKey, encodePublicParts, spkiOf } from '../public-keys.ts'
import { STATUS } from '../status.ts'
import { encodeTlv, findTlv, readTlvs, takeTlv, TlvError } from '../tlv.ts'
import { virtualDevice, virtualStatement } from './attester.ts'
import { keyOfNumber, makeKey, privateKeyOf, publicKeyOfState, applyKey } from './keys.ts'
import { atrOf, blankCard, type CardState, type Reference } from './state.ts'

export type VirtualCard = {
  atr: Uint8Array
  state: CardState
  /** Carries a command to the card; one at a time. */
  transmit(command: Uint8Array): Promise<Uint8Array>
  /** Takes the power away: what was proven is forgotten. */
  powerOff(): void
}

type Handled = ReturnType<typeof parseCommand>

const none = new Uint8Array()
const ok = (data: Uint8Array = none): Response => ({ data, sw: STATUS.ok })
const refuse = (sw: number): Response => ({ data: none, sw })
const shortAnswer = 256
const mostOfObject = 16_384
const mostOfChain = 65_536
/** When a key wants the PIN, and that nobody has to touch anything. */
const policyOf = (reference: number): readonly [number, number] => [reference === 0x9c ? 3 : reference === 0x9e ? 1 : 2, 1]
const hex = (number: number) => number.toString(16).toUpperCase()

/** A new card that is like this one, or a blank one. */
export function openVirtualCard(state: CardState, changed: (state: CardState) => void = () => {}): VirtualCard {
  let selected = false
  let manager = false
  let pinVerified = false
  /** Slot 9C wants the PIN just before each signature. */
  let pinJustVerified = false
  let witness: Uint8Array | undefined
  let chain: Uint8Array[] = []
  let rest: Uint8Array = none

  let isManagerSelected = false
  const cardManager = openVirtualManager(
    state.serial,
    () => (state.manager ??= { packages: [], applets: [] }),
    () => changed(state),
  )

  const forget = () => {
    isManagerSelected = false
    cardManager.forget()
    manager = pinVerified = pinJustVerified = selected = false
    witness = undefined
    chain = []
    rest = none
  }

  const failed = (reference: Reference): Response => {
    reference.left = Math.max(0, reference.left - 1)
    changed(state)
    return refuse(reference.left === 0 ? STATUS.blocked : 0x63c0 | reference.left)
  }
  const isRight = (reference: Reference, given: Uint8Array) => {
    const value = Buffer.alloc(8, 0xff)
    value.write(reference.value, 'latin1')
    return sameBytes(value, given)
  }
  const plainOf = (bytes: Uint8Array): string | undefined => {
    const text = Buffer.from(bytes)
      .toString('latin1')
      .replace(/\u00ff+$/, '')
    return /^[\x20-\x7e]{6,8}$/.test(text) && bytes.length === 8 ? text : undefined
  }
  const attempt = (reference: Reference, given: Uint8Array): Response | undefined => {
    if (reference.left === 0) return refuse(STATUS.blocked)
    if (!isRight(reference, given)) return failed(reference)
    reference.left = reference.most
    return undefined
  }

  const handlers: { readonly [ins: number]: (command: Handled) => Response | Promise<Response> } = {
    [INS.verify]: ({ p1, p2, data }) => {
      if (p2 !== pinReference) return refuse(STATUS.noReference)
      if (p1 === 0xff) {
        pinVerified = pinJustVerified = false
        return ok()
      }
      if (data.length === 0) return pinVerified ? ok() : refuse(state.pin.left === 0 ? STATUS.blocked : 0x63c0 | state.pin.left)
      if (data.length !== 8) return refuse(STATUS.wrongData)
      const refused = attempt(state.pin, data)
      pinVerified = pinJustVerified = refused === undefined
      if (refused === undefined) changed(state)
      return refused ?? ok()
    },
    [INS.changeReference]: ({ p2, data }) => {
      const reference = p2 === pinReference ? state.pin : p2 === pukReference ? state.puk : undefined
      if (reference === undefined) return refuse(STATUS.noReference)
      if (data.length !== 16) return refuse(STATUS.wrongData)
      const after = plainOf(data.subarray(8))
      if (after === undefined) return refuse(STATUS.wrongData)
      const refused = attempt(reference, data.subarray(0, 8))
      if (refused !== undefined) return refused
      reference.value = after
      changed(state)
      return ok()
    },
    [INS.resetRetry]: ({ p2, data }) => {
      if (p2 !== pinReference) return refuse(STATUS.noReference)
      const after = data.length === 16 ? plainOf(data.subarray(8)) : undefined
      if (after === undefined) return refuse(STATUS.wrongData)
      const refused = attempt(state.puk, data.subarray(0, 8))
      if (refused !== undefined) return refused
      state.pin = { ...state.pin, value: after, left: state.pin.most }
      changed(state)
      return ok()
    },
    [INS.getData]: ({ data }) => {
      const tag = takeTlv(data, 0x5c)
      const name = Buffer.from(tag).toString('hex').toUpperCase()
      if (name === '7E') return ok(encodeDiscovery(pivApplication, 0x40))
      // The certificate of the key that attests is on cards that have one, whatever else was cleared.
      if (name === '5FFF01' && state.kind === 'yubico') return ok(encodeTlv(0x53, encodeCertificate(virtualDevice(state.serial))))
      const content = state.objects[name]
      // What is printed on the card is between it and whoever has the PIN.
      if (['5FC109', '5FC108', '5FC103', '5FC121'].includes(name) && !pinVerified) return refuse(STATUS.notAllowed)
      return content === undefined ? refuse(STATUS.notFound) : ok(encodeTlv(0x53, Buffer.from(content, 'base64')))
    },
    [INS.putData]: ({ data }) => {
      if (!manager) return refuse(STATUS.notAllowed)
      const [list, object] = readTlvs(data)
      if (list?.tag !== 0x5c || list.value.length !== 3 || object?.tag !== 0x53) return refuse(STATUS.wrongData)
      if (object.value.length > mostOfObject) return refuse(STATUS.noMemory)
      const name = Buffer.from(list.value).toString('hex').toUpperCase()
      if (object.value.length === 0) delete state.objects[name]
      else state.objects[name] = Buffer.from(object.value).toString('base64')
      changed(state)
      return ok()
    },
    [INS.generateKey]: async ({ p2, data }) => {
      if (!manager) return refuse(STATUS.notAllowed)
      if (!slots.some(({ reference }) => reference === p2)) return refuse(STATUS.wrongParameters)
      const algorithm = keyOfNumber(takeTlv(takeTlv(data, 0xac), 0x80)[0])
      if (algorithm === undefined || (algorithm === 'Ed25519' && state.kind === 'plain')) return refuse(STATUS.wrongParameters)
      const { pkcs8, publicKey } = await makeKey(algorithm)
      state.keys[hex(p2)] = { algorithm, pkcs8 }
      changed(state)
      return ok(encodePublicKey(publicKey))
    },
    [INS.authenticate]: ({ p1, p2, data }) => (p2 === managementReference ? proveManager(p1, data) : answerSlot(p1, p2, data)),
    [INS.setManagementKey]: ({ data }) => {
      if (!manager) return refuse(STATUS.notAllowed)
      const [id, reference, length, ...key] = data
      const found = Object.entries(managementAlgorithms).find(([, row]) => row.id === id)
      if (found === undefined || reference !== managementReference || length !== key.length || found[1].key !== key.length)
        return refuse(STATUS.wrongData)
      state.management = {
        algorithm: found[0] as keyof typeof managementAlgorithms,
        key: Buffer.from(key).toString('hex'),
        isFactory: false,
      }
      changed(state)
      return ok()
    },
  }

  const yubico: typeof handlers = {
    [INS.version]: () => ok(Uint8Array.from(state.firmware)),
    [INS.serial]: () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(state.serial)
      return ok(bytes)
    },
    [INS.metadata]: ({ p2 }) => {
      const one = (tag: number, ...bytes: number[]) => encodeTlv(tag, Uint8Array.from(bytes))
      if (p2 === managementReference) {
        const { algorithm, isFactory } = state.management
        return ok(Buffer.concat([one(1, managementAlgorithms[algorithm].id), one(2, 0, 1), one(5, isFactory ? 1 : 0)]))
      }
      if (p2 === pinReference || p2 === pukReference) {
        const { value, most, left } = p2 === pinReference ? state.pin : state.puk
        const isFactory = value === (p2 === pinReference ? '123456' : '12345678')
        return ok(Buffer.concat([one(1, 0xff), one(5, isFactory ? 1 : 0), one(6, most, left)]))
      }
      const key = state.keys[hex(p2)]
      if (key === undefined) return refuse(STATUS.noReference)
      const parts = encodePublicParts(publicKeyOfState(key))
      return ok(Buffer.concat([one(1, keyAlgorithms[key.algorithm].id), one(2, ...policyOf(p2)), one(3, 1), encodeTlv(4, parts)]))
    },
    [INS.attest]: ({ p1 }) => {
      const key = state.keys[hex(p1)]
      if (key === undefined) return refuse(STATUS.noReference)
      const { serial, firmware } = state
      return ok(virtualStatement({ serial, firmware, reference: p1, spki: spkiOf(publicKeyOfState(key)), policy: policyOf(p1) }))
    },
    [INS.moveKey]: ({ p1, p2 }) => {
      if (!manager) return refuse(STATUS.notAllowed)
      const from = hex(p2)
      const key = state.keys[from]
      if (key === undefined) return refuse(STATUS.noReference)
      if (p1 !== 0xff) state.keys[hex(p1)] = key
      delete state.keys[from]
      changed(state)
      return ok()
    },
    [INS.setRetries]: ({ p1, p2 }) => {
      if (!manager || !pinVerified) return refuse(STATUS.notAllowed)
      if (p1 < 1 || p1 > 10 || p2 < 1 || p2 > 10) return refuse(STATUS.wrongParameters)
      state.pin = { value: '123456', most: p1, left: p1 }
      state.puk = { value: '12345678', most: p2, left: p2 }
      changed(state)
      return ok()
    },
    [INS.reset]: () => {
      if (state.pin.left > 0 || state.puk.left > 0) return refuse(STATUS.conditions)
      const { kind, serial, management } = state
      const fresh = blankCard({ serial, kind, management: management.algorithm })
      Object.assign(state, fresh, { firmware: state.firmware })
      manager = pinVerified = pinJustVerified = false
      changed(state)
      return ok()
    },
  }

  function proveManager(p1: number, data: Uint8Array): Response {
    const { algorithm, key: keyHex } = state.management
    const { id, block } = managementAlgorithms[algorithm]
    if (p1 !== id && !(p1 === 0 && algorithm === '3DES')) return refuse(STATUS.wrongParameters)
    const key = { algorithm, key: Buffer.from(keyHex, 'hex') }
    const template = takeTlv(data, 0x7c)
    const [asksWitness, asksChallenge, answer] = [findTlv(template, 0x80), findTlv(template, 0x81), findTlv(template, 0x82)]
    manager = false
    if (asksWitness?.length === 0) {
      witness = randomBytes(block)
      return ok(encodeTlv(0x7c, encodeTlv(0x80, encryptBlock(key, witness))))
    }
    if (asksWitness !== undefined && asksChallenge !== undefined) {
      const expected = witness
      witness = undefined
      if (expected === undefined || !sameBytes(expected, asksWitness) || asksChallenge.length !== block) return refuse(STATUS.notAllowed)
      manager = true
      return ok(encodeTlv(0x7c, encodeTlv(0x82, encryptBlock(key, asksChallenge))))
    }
    // The card's challenge, and its answer: the host proves itself alone.
    if (asksChallenge?.length === 0) {
      witness = randomBytes(block)
      return ok(encodeTlv(0x7c, encodeTlv(0x81, witness)))
    }
    if (answer !== undefined && answer.length === block) {
      const expected = witness
      witness = undefined
      manager = expected !== undefined && sameBytes(decryptBlock(key, answer), expected)
      return manager ? ok() : refuse(STATUS.notAllowed)
    }
    return refuse(STATUS.wrongData)
  }

  function answerSlot(p1: number, p2: number, data: Uint8Array): Response {
    const key = state.keys[hex(p2)]
    if (key === undefined) return refuse(STATUS.wrongParameters)
    if (keyAlgorithms[key.algorithm].id !== p1) return refuse(STATUS.wrongParameters)
    if (p2 === 0x9c ? !pinJustVerified : p2 !== 0x9e && !pinVerified) return refuse(STATUS.notAllowed)
    pinJustVerified = false
    const template = takeTlv(data, 0x7c)
    const answered = applyKey(key.algorithm, privateKeyOf(key), {
      challenge: findTlv(template, 0x81),
      exponentiation: findTlv(template, 0x85),
    })
    return answered === undefined ? refuse(STATUS.wrongData) : ok(encodeTlv(0x7c, encodeTlv(0x82, answered)))
  }

  function select(data: Uint8Array): Response {
    cardManager.forget()
    isManagerSelected = sameBytes(data, managerAid)
    if (isManagerSelected || state.manager?.applets.includes(Buffer.from(data).toString('hex')) === true) {
      selected = manager = pinVerified = pinJustVerified = false
      return ok()
    }
    const isPiv =
      data.length >= 5 &&
      data.length <= pivApplication.length &&
      pivApplication.subarray(0, data.length).every((byte, at) => byte === data[at])
    if (!isPiv) return refuse(STATUS.notFound)
    if (!selected) manager = pinVerified = pinJustVerified = false
    selected = true
    const authority = encodeTlv(0x79, encodeTlv(0x4f, pivApplication.subarray(0, 5)))
    return ok(encodeTlv(0x61, encodeTlv(0x4f, pivApplication.subarray(5)), authority))
  }

  async function run(bytes: Uint8Array): Promise<Response> {
    const command = parseCommand(bytes)
    if (command.ins === INS.getResponse) return inParts(rest, command.le)
    rest = none
    if ((command.cla & chainBit) !== 0) {
      if (chain.reduce((sum, part) => sum + part.length, 0) > mostOfChain) {
        chain = []
        return refuse(STATUS.noMemory)
      }
      chain.push(Uint8Array.from(command.data))
      return ok()
    }
    const data = Buffer.concat([...chain, command.data])
    chain = []
    if (command.ins === INS.select && command.p1 === 4) return select(data)
    if (isManagerSelected && (command.cla & 0x80) !== 0) return cardManager.answer({ ...command, data })
    if (command.cla !== 0) return refuse(STATUS.unknownClass)
    const handle = handlers[command.ins] ?? (state.kind === 'yubico' ? yubico[command.ins] : undefined)
    if (handle === undefined) return refuse(STATUS.unknownInstruction)
    if (!selected) return refuse(STATUS.conditions)
    const answer = await handle({ ...command, data })
    return answer.data.length === 0 ? answer : inParts(answer.data, command.le)
  }

  /** Answers no more than was asked for, because a reader's program drops what goes beyond. */
  function inParts(answer: Uint8Array, most = shortAnswer): Response {
    rest = answer.subarray(most)
    return {
      data: answer.subarray(0, most),
      sw: rest.length === 0 ? STATUS.ok : (STATUS.moreData << 8) | Math.min(rest.length, 0xff),
    }
  }

  return {
    atr: atrOf(state),
    state,
    powerOff: forget,
    async transmit(bytes) {
      try {
        return encodeResponse(await run(bytes))
      } catch (error) {
        if (error instanceof ApduError) return encodeResponse(refuse(STATUS.wrongLength))
        if (error instanceof TlvError) return encodeResponse(refuse(STATUS.wrongData))
        throw error
      }
    },
  }
}
