// The host's side and the card's side of PIV against each other; each alone is held against published values in vectors.test.ts.

import { createHash, randomBytes, verify, type KeyObject } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { fingerprint } from '../x509/certificate.ts'
import { encodeCommand, INS, parseResponse } from './apdu.ts'
import { attestKey, judgeAttestation, shippedAttestation, type AttestationQuestion } from './attestation.ts'
import { virtualRoot, virtualRootName } from './card/attester.ts'
import { openVirtualCard, type VirtualCard } from './card/card.ts'
import { cuttable, CardGone } from './card/faults.ts'
import { blankCard, type CardMaking } from './card/state.ts'
import {
  authenticateManager,
  changePin,
  changePuk,
  deleteKey,
  generateKey,
  identify,
  managementAlgorithm,
  openCard,
  pinTries,
  readMetadata,
  readObject,
  resetApplication,
  resetPin,
  selectPiv,
  setManagementKey,
  setTries,
  signOnCard,
  verifyPin,
  writeObject,
  type PivCard,
} from './client.ts'
import {
  cardKeyAlgorithms,
  factory,
  managementAlgorithmNames,
  managementAlgorithms,
  objects,
  slotNamed,
  type SlotName,
} from './identifiers.ts'
import { diversify, type ManagementKey } from './management-key.ts'
import { encodeCertificate, encodeChuid, encodeKeyHistory, parseCertificate, parseChuid, parseKeyHistory } from './objects.ts'
import { spkiOf } from './public-keys.ts'
import { CardRefused } from './status.ts'

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not there')
  return value
}

const slot = (name: SlotName) => present(slotNamed(name))
const factoryKey = (algorithm: ManagementKey['algorithm'] = 'AES-192'): ManagementKey => ({
  algorithm,
  key: Buffer.concat([factory.managementKey, factory.managementKey]).subarray(0, managementAlgorithms[algorithm].key),
})

const getData9A = { ins: INS.getData, p1: 0x3f, p2: 0xff, data: Uint8Array.from([0x5c, 3, 0x5f, 0xc1, 0x05]) }

function insert(making: Partial<CardMaking> = {}): { virtual: VirtualCard; card: PivCard } {
  const virtual = openVirtualCard(blankCard({ serial: 4711, ...making }))
  return { virtual, card: openCard(virtual.transmit) }
}

async function selected(making: Partial<CardMaking> = {}) {
  const inserted = insert(making)
  await selectPiv(inserted.card)
  return inserted
}

function signatureIsGood(key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const type = key.asymmetricKeyType
  const hash = type === 'ed25519' ? null : key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'sha384' : 'sha256'
  return verify(hash, data, key, signature)
}

test('a card tells who it is only when its application was selected', async () => {
  const { card } = insert()
  await expect(card.send('Asked', { ins: 0xfd, p1: 0, p2: 0 })).rejects.toThrow(CardRefused)
  await selectPiv(card)
  expect(await identify(card)).toEqual({ serial: '4711', kind: 'yubico', firmware: '5.7.1' })
})

test('a card without a serial number is known by its GUID, and a blank one by nothing', async () => {
  const { card } = await selected({ kind: 'plain' })
  expect(await identify(card)).toBeUndefined()
  await authenticateManager(card, factoryKey())
  await writeObject(card, objects.chuid, encodeChuid({ guid: Buffer.alloc(16, 7), expires: '20301231' }))
  expect(await identify(card)).toEqual({ serial: '07'.repeat(16), kind: 'guid', firmware: undefined })
})

describe('the management key', () => {
  test.each(managementAlgorithmNames)('%s is found by asking, proven by both sides, and replaced', async (algorithm) => {
    for (const kind of ['yubico', 'plain'] as const) {
      const { card, virtual } = await selected({ management: algorithm, kind })
      expect(await managementAlgorithm(card)).toBe(algorithm)
      expect(await authenticateManager(card, factoryKey(algorithm))).toBe(true)
      const own = diversify(randomBytes(32), algorithm, { serial: '4711', version: 1 })
      await setManagementKey(card, own)
      virtual.powerOff()
      await selectPiv(card)
      expect(await authenticateManager(card, factoryKey(algorithm))).toBe(false)
      expect(await authenticateManager(card, own)).toBe(true)
    }
  })

  test('is another for each card, version and algorithm', () => {
    const master = Buffer.alloc(32, 1)
    const made = (['AES-128', 'AES-192'] as const).flatMap((algorithm) =>
      ['1', '2'].flatMap((serial) =>
        [1, 2].map((version) => Buffer.from(diversify(master, algorithm, { serial, version }).key).toString('hex')),
      ),
    )
    expect(new Set(made).size).toBe(8)
  })

  test('opens nothing before it was proven, nor after the power was off', async () => {
    const { card, virtual } = await selected()
    await expect(writeObject(card, objects.chuid, Buffer.alloc(3))).rejects.toThrow('needs a PIN or a key')
    await authenticateManager(card, factoryKey())
    virtual.powerOff()
    await selectPiv(card)
    await expect(generateKey(card, slot('9A'), 'P-256')).rejects.toThrow('needs a PIN or a key')
  })
})

describe('keys', () => {
  test.each(cardKeyAlgorithms)('%s is made on the card and signs what the host hashed', async (algorithm) => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    const key = await generateKey(card, slot('9A'), algorithm)
    await verifyPin(card, factory.pin)
    const data = randomBytes(400)
    expect(signatureIsGood(key, data, await signOnCard(card, slot('9A'), algorithm, data))).toBe(true)
  })

  test('in 9A and 9D sign after the PIN, in 9C once for each PIN, in 9E without', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    const sign = (name: SlotName) =>
      signOnCard(card, slot(name), 'P-256', Buffer.from('x')).then(
        () => 'signed',
        () => 'refused',
      )
    for (const name of ['9A', '9C', '9D', '9E', 'R1'] as const) await generateKey(card, slot(name), 'P-256')
    expect(await Promise.all((['9A', '9C', '9D', '9E', 'R1'] as const).map(sign))).toEqual([
      'refused',
      'refused',
      'refused',
      'signed',
      'refused',
    ])
    await verifyPin(card, factory.pin)
    expect([await sign('9C'), await sign('9C'), await sign('9A'), await sign('9A'), await sign('R1')]).toEqual([
      'signed',
      'refused',
      'signed',
      'signed',
      'signed',
    ])
  })

  test('are deleted where the card can', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    await generateKey(card, slot('9E'), 'P-256')
    expect([await deleteKey(card, slot('9E')), await deleteKey(card, slot('9E'))]).toEqual([true, false])
    const plain = (await selected({ kind: 'plain' })).card
    await authenticateManager(plain, factoryKey())
    expect(await deleteKey(plain, slot('9E'))).toBeUndefined()
  })
})

describe('PIN and PUK', () => {
  test('count their tries, block, and are opened by the PUK', async () => {
    const { card } = await selected()
    expect(await pinTries(card)).toBe(3)
    expect(await verifyPin(card, '999999')).toEqual({ ok: false, left: 2 })
    expect(await changePin(card, { before: '999999', after: '654321' })).toEqual({ ok: false, left: 1 })
    expect(await verifyPin(card, factory.pin)).toEqual({ ok: true })
    expect(await pinTries(card)).toBeUndefined()
    for (const left of [2, 1, 0]) expect(await verifyPin(card, '999999')).toEqual({ ok: false, left })
    expect(await verifyPin(card, factory.pin)).toEqual({ ok: false, left: 0 })
    expect(await resetPin(card, { puk: '00000000', pin: '135790' })).toEqual({ ok: false, left: 2 })
    expect(await resetPin(card, { puk: factory.puk, pin: '135790' })).toEqual({ ok: true })
    expect(await verifyPin(card, '135790')).toEqual({ ok: true })
    expect((await readMetadata(card, 0x81))?.tries).toEqual({ most: 3, left: 3 })
  })

  test('are changed by who knows them', async () => {
    const { card } = await selected()
    expect(await changePuk(card, { before: factory.puk, after: '87654321' })).toEqual({ ok: true })
    expect(await changePin(card, { before: factory.pin, after: '24681357' })).toEqual({ ok: true })
    expect(await resetPin(card, { puk: '87654321', pin: '112233' })).toEqual({ ok: true })
    expect(await verifyPin(card, '112233')).toEqual({ ok: true })
  })

  test('have as many tries as were set, and are those of the factory then', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    await expect(setTries(card, { pin: 5, puk: 6 })).rejects.toThrow('needs a PIN or a key')
    await verifyPin(card, factory.pin)
    await setTries(card, { pin: 5, puk: 6 })
    expect((await readMetadata(card, 0x80))?.tries).toEqual({ most: 5, left: 5 })
  })

  test('blocked both, the application can be made as new; before, it cannot', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    await generateKey(card, slot('9A'), 'P-256')
    await expect(resetApplication(card)).rejects.toThrow('cannot do that now')
    for (let index = 0; index < 3; index += 1) await verifyPin(card, '999999')
    for (let index = 0; index < 3; index += 1) await resetPin(card, { puk: '99999999', pin: '111222' })
    await resetApplication(card)
    expect(await verifyPin(card, factory.pin)).toEqual({ ok: true })
    expect(await readMetadata(card, 0x9a)).toBeUndefined()
  })
})

describe('objects', () => {
  test('of more than 255 bytes go in a chain and come back in parts', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    const der = randomBytes(3000)
    await writeObject(card, slot('9A').object, encodeCertificate(der))
    const read = present(await readObject(card, slot('9A').object))
    expect(createHash('sha256').update(parseCertificate(read)).digest('hex')).toBe(createHash('sha256').update(der).digest('hex'))
  })

  test('are answered in parts no longer than was asked for', async () => {
    const { virtual, card } = await selected()
    await authenticateManager(card, factoryKey())
    const content = encodeCertificate(randomBytes(600))
    await writeObject(card, slot('9A').object, content)
    const { data: begin } = parseResponse(await virtual.transmit(encodeCommand({ ...getData9A, le: 8 })))
    expect(begin).toHaveLength(8)
    const parts: Uint8Array[] = []
    let answer = parseResponse(await virtual.transmit(encodeCommand({ ...getData9A, le: 0 })))
    parts.push(answer.data)
    while (answer.sw >> 8 === 0x61) {
      answer = parseResponse(await virtual.transmit(encodeCommand({ ins: INS.getResponse, p1: 0, p2: 0, le: answer.sw & 0xff })))
      parts.push(answer.data)
    }
    expect(parts.slice(0, 2).map(({ length }) => length)).toEqual([256, 255])
    expect(Buffer.concat(parts).subarray(4)).toEqual(Buffer.from(content))
  })

  test('are removed by writing nothing', async () => {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    await writeObject(card, objects.keyHistory, encodeKeyHistory({ onCard: 2, offCard: 0 }))
    const read = present(await readObject(card, objects.keyHistory))
    expect(parseKeyHistory(read)).toEqual({ onCard: 2, offCard: 0 })
    await writeObject(card, objects.keyHistory, new Uint8Array())
    expect(await readObject(card, objects.keyHistory)).toBeUndefined()
  })

  test('that are printed are read with the PIN', async () => {
    const { card } = await selected()
    await expect(readObject(card, objects.printed)).rejects.toThrow('needs a PIN or a key')
    await verifyPin(card, factory.pin)
    expect(await readObject(card, objects.printed)).toBeUndefined()
    const discovery = await readObject(card, objects.discovery)
    expect(Buffer.from(discovery ?? []).toString('hex')).toBe('4f0ba0000003080000100001005f2f024000')
  })
})

test('what a card keeps survives the power, and what was proven does not', async () => {
  const kept: string[] = []
  const virtual = openVirtualCard(blankCard({ serial: 1 }), (state) => void kept.push(JSON.stringify(state)))
  const card = openCard(virtual.transmit)
  await selectPiv(card)
  await authenticateManager(card, factoryKey())
  await writeObject(card, objects.chuid, encodeChuid({ guid: Buffer.alloc(16, 9), expires: '20301231' }))
  const again = openCard(openVirtualCard(JSON.parse(kept.at(-1) ?? '')).transmit)
  await selectPiv(again)
  const chuid = present(await readObject(again, objects.chuid))
  expect(parseChuid(chuid).expires).toBe('20301231')
})

test.each([
  [true, 'anew'],
  [false, undefined],
])('a card that is pulled out at a command, which acted: %s', async (acted, holds) => {
  const faulty = cuttable(openVirtualCard(blankCard({ serial: 1 })))
  const card = openCard(faulty.card.transmit)
  await selectPiv(card)
  await authenticateManager(card, factoryKey())
  faulty.cut({ at: 1, acted })
  await expect(writeObject(card, objects.face, Buffer.from('anew'))).rejects.toThrow(CardGone)
  await expect(selectPiv(card)).rejects.toThrow(CardGone)
  faulty.putIn()
  await selectPiv(card)
  await verifyPin(card, factory.pin)
  const read = await readObject(card, objects.face)
  expect(read === undefined ? undefined : Buffer.from(read).toString()).toBe(holds)
})

describe('a hostile host', () => {
  let card: PivCard
  let virtual: VirtualCard
  beforeEach(async () => {
    ;({ card, virtual } = await selected())
  })

  test.each([
    ['', '6700'],
    ['00', '6700'],
    ['00a40400ff00', '6700'],
    ['00cb3fff', '6a80'],
    ['0087039b027c05', '6a86'],
    ['00870a9b027c05', '6a80'],
    ['0020008003313233', '6a80'],
    ['0024008002ffff', '6a80'],
    ['0047009a00', '6982'],
    ['80a4', '6700'],
    ['8020008000', '6e00'],
    ['0099000000', '6d00'],
  ])('%s is answered with %s', async (command, status) => {
    expect(Buffer.from(await virtual.transmit(Buffer.from(command, 'hex'))).toString('hex')).toBe(status)
  })

  test('never sees the witness of the management key twice', async () => {
    const ask = async () => (await card.ask({ ins: 0x87, p1: 0x0a, p2: 0x9b, data: Buffer.from('7c028000', 'hex'), le: 0 })).data.toString()
    expect(await ask()).not.toBe(await ask())
  })

  test('does not get a certificate object beyond what a card holds', async () => {
    await authenticateManager(card, factoryKey())
    await expect(writeObject(card, slot('9A').object, Buffer.alloc(20_000))).rejects.toThrow('the card is full')
  })
})

describe('attestation', () => {
  async function attested(name: SlotName = '9A') {
    const { card } = await selected()
    await authenticateManager(card, factoryKey())
    const spki = spkiOf(await generateKey(card, slot(name), 'P-256'))
    return { card, spki, given: present(await attestKey(card, slot(name))) }
  }
  const judge = (question: Partial<AttestationQuestion> & Pick<AttestationQuestion, 'given' | 'spki'>) =>
    judgeAttestation({
      slot: slot('9A'),
      serial: '4711',
      roots: [virtualRoot()],
      intermediates: [],
      at: new Date('2026-11-27T00:00:00Z'),
      ...question,
    })

  test('of a key that was made on the card leads to the root of its maker, with the rules of its use', async () => {
    const { given, spki } = await attested()
    expect(judge({ given, spki })).toEqual({ attested: true, root: virtualRootName, firmware: '5.7.1', pin: 'once', touch: 'never' })
  })

  test('is not taken for another key, slot or card, by another root, or from whoever has no key of the card', async () => {
    const { given, spki } = await attested()
    const other = await attested('9C')
    const reasons = [
      judge({ given, spki: other.spki }),
      judge({ given, spki, slot: slot('9C') }),
      judge({ given, spki, serial: '4712' }),
      judge({ given, spki, serial: undefined }),
      judge({ given, spki, roots: shippedAttestation().roots }),
      judge({ given: { ...given, device: given.statement }, spki }),
      judge({ given: { ...given, statement: Buffer.from('junk') }, spki }),
    ].map((verdict) => (verdict.attested ? 'attested' : verdict.reason))
    expect(reasons).toEqual([
      'the statement is about another key',
      'the statement is about another slot',
      'the statement is about another card',
      'the statement is about another card',
      'the statement leads to no root that is trusted',
      'the statement leads to no root that is trusted',
      'the statement cannot be read',
    ])
  })

  test('is not there where the slot is empty or the card has no such function', async () => {
    const { card } = await attested()
    expect(await attestKey(card, slot('9E'))).toBeUndefined()
    const { card: plain } = await selected({ kind: 'plain' })
    expect(await attestKey(plain, slot('9A'))).toBeUndefined()
  })

  test('has the roots and the authorities between that Yubico publishes', () => {
    const { roots, intermediates } = shippedAttestation()
    expect([...roots, ...intermediates].map((one) => fingerprint(one).replaceAll(':', '').toLowerCase())).toEqual([
      '63ece914e54dd87915f34033c85af4c0696ba1512f8add66ced738331207b546',
      '62760c6a6ef91679f454c8902b80fd009825b3f25da90f1fbace2ec6586cd5a8',
      '4698a1d3389c3ec60016c216250f1d0439922832d65142327436376dc2942b55',
      'd4cc3f456fdaf4e7812a21aab1dfe9d8e27d24e2fd2d6f21c9940109f0daa754',
      '6de693f05376f5d8ca29069261e1c8626c75d503bd2edbfd75354cad1f722870',
      '2d55b7998f4e42569d6d8fa382b6dc77d1dacf07358b19701163892922b17052',
    ])
  })
})
