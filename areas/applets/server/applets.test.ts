import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newCard, openDesk, readerName, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { zip } from '#core/server/attachments/zip.fixture.ts'
import { audited } from '#core/testing/events.ts'
import { refusal } from '#core/testing/house.ts'
import { applets } from '../contract.ts'

let desk: DeskFixture
let clerk: DeskFixture['desk']
/** The same person by a session of their own, who proved a moment ago who they are. */
let keeper: Awaited<ReturnType<DeskFixture['desk']['session']>>
const { list, add, get, change, remove, upload, configs, addConfig, changeConfig, removeConfig } = applets.calls
const master = '404142434445464748494A4B4C4D4E4F'
const checkValue = '504A77'
const packageId = 'D27600012401'
/** The header component of a load file, and some bytes after it. */
const file = Buffer.concat([
  Buffer.from('01000fdecaffed010204000106', 'hex'),
  Buffer.from(packageId, 'hex'),
  Buffer.alloc(700, 7),
]).toString('base64')
/** A header component of its true length. */
const header = Buffer.concat([Buffer.from('010010decaffed010204000106', 'hex'), Buffer.from(packageId, 'hex')])
const tagOf = { Directory: 2, Applet: 3, Import: 4, ConstantPool: 5, Class: 6, Method: 7, StaticField: 8, RefLocation: 9, Debug: 12 }
const appletId = 'D2760001240102'
const atReader = { reader: readerName, card_count: 1, confirmation: checkValue }

beforeAll(async () => {
  desk = await openDesk()
  clerk = desk.desk
  keeper = await clerk.session()
})
afterAll(() => desk.close())
beforeEach(async () => {
  for (const one of (await clerk.call(list, {})).applets) await clerk.call(remove, { applet_id: one.applet_id })
  for (const one of (await clerk.call(configs, {})).configs)
    await keeper.call(removeConfig, { customer_sc_hardware: one.customer_sc_hardware })
})

describe('Applets', () => {
  test('are added, changed and deleted by their identifiers', async () => {
    expect(await clerk.call(add, { applet_id: 'a000000308000010000100', name: 'PIV' })).toMatchObject({
      applet_id: 'A000000308000010000100',
      enabled: true,
      package_id: '',
    })
    await expect(clerk.call(add, { applet_id: 'A000000308000010000100', name: 'Twice' })).rejects.toMatchObject({ code: 'exists' })
    await clerk.call(change, { applet_id: 'A000000308000010000100', version: '1.2', file })
    expect(await clerk.call(get, { applet_id: 'A000000308000010000100' })).toMatchObject({
      name: 'PIV',
      version: '1.2',
      package_id: packageId,
    })
    await expect(clerk.call(add, { applet_id: 'D2760001', name: 'Short' })).rejects.toMatchObject({ status: 400 })
    await expect(clerk.call(add, { applet_id: appletId, name: 'Zip', file: 'UEsDBBQA' })).rejects.toMatchObject({ code: 'badFile' })
    const empty = zip(['META-INF/MANIFEST.MF']).toString('base64')
    await expect(clerk.call(add, { applet_id: appletId, name: 'Zip', file: empty })).rejects.toMatchObject({ code: 'badFile' })
    await clerk.call(remove, { applet_id: 'A000000308000010000100' })
    await expect(clerk.call(get, { applet_id: 'A000000308000010000100' })).rejects.toMatchObject({ status: 404 })
  })

  test('and keys are of their tenancy alone', async () => {
    await clerk.call(add, { applet_id: appletId, name: 'Ours' })
    await keeper.call(addConfig, { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue })
    const stranger = (await desk.house.tenancy('Globex')).administrator
    expect((await stranger.call(list, {})).applets).toEqual([])
    expect((await stranger.call(configs, {})).configs).toEqual([])
    await expect(stranger.call(remove, { applet_id: appletId })).rejects.toMatchObject({ status: 404 })
  })
})

describe('A key of card managers', () => {
  test('is kept only with its check value, and never answered', async () => {
    const draft = { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue }
    await expect(keeper.call(addConfig, { ...draft, checkValue: '504A78' })).rejects.toMatchObject({ code: 'wrongCheck' })
    await keeper.call(addConfig, draft)
    await expect(keeper.call(addConfig, draft)).rejects.toMatchObject({ code: 'exists' })
    await clerk.call(changeConfig, { customer_sc_hardware: 'Blue cards', keyVersion: 48 })
    const answer = await clerk.call(configs, {})
    expect(answer.configs).toMatchObject([{ customer_sc_hardware: 'Blue cards', keyVersion: 48, checkValue }])
    expect(JSON.stringify(answer)).not.toContain(master)
    await keeper.call(removeConfig, { customer_sc_hardware: 'Blue cards' })
    await expect(keeper.call(removeConfig, { customer_sc_hardware: 'Blue cards' })).rejects.toMatchObject({ code: 'unknownConfig' })
  })

  test('puts applets on a card, once', async () => {
    await keeper.call(addConfig, { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue })
    await clerk.call(add, { applet_id: appletId, name: 'OpenPGP', file })
    const card = newCard()
    desk.client.insert(card)
    expect(await clerk.call(upload, { ...atReader, card_count: 3 })).toMatchObject({
      applets: [{ applet_id: appletId, state: 'loaded' }],
      left: 2,
    })
    expect(card.state.manager).toEqual({ packages: [packageId.toLowerCase()], applets: [appletId.toLowerCase()] })
    expect(await clerk.call(upload, atReader)).toMatchObject({ applets: [{ state: 'present' }], left: 0 })
    const names = (await audited(desk.house, desk.pki.tenancy.id)).filter(({ area }) => area === 'applets').map(({ name }) => name)
    expect(names.filter((name) => name === 'loaded')).toHaveLength(1)
  })

  test('puts the components of a CAP file on a card in the order of the specification', async () => {
    await keeper.call(addConfig, { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue })
    const names = ['Applet', 'Class', 'ConstantPool', 'Debug', 'Directory', 'Header', 'Import', 'Method', 'RefLocation', 'StaticField']
    const tags: Record<string, number> = { ...tagOf }
    const contents = (name: string): Buffer => {
      const component = /(\w+)\.cap$/.exec(name)?.[1] ?? ''
      if (component === 'Header') return header
      return Buffer.concat([Buffer.from([tags[component] ?? 12, 0, 4]), Buffer.alloc(4, tags[component] ?? 12)])
    }
    const cap = zip(['META-INF/MANIFEST.MF', ...names.map((name) => `com/example/javacard/${name}.cap`)], { contents })
    const kept = await clerk.call(add, { applet_id: appletId, name: 'Compiled', file: cap.toString('base64') })
    const ordered = ['Header', 'Directory', 'Import', 'Applet', 'Class', 'Method', 'StaticField', 'ConstantPool', 'RefLocation']
    const loadFile = Buffer.concat(ordered.map((name) => contents(`${name}.cap`)))
    expect(kept).toMatchObject({ package_id: packageId, sha256: createHash('sha256').update(loadFile).digest('hex') })
    desk.client.insert(newCard())
    expect(await clerk.call(upload, atReader)).toMatchObject({ applets: [{ applet_id: appletId, state: 'loaded' }] })
  })

  test('leaves on record which file was put on a card, before it is, also where the file is replaced afterwards', async () => {
    await keeper.call(addConfig, { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue })
    const { sha256 } = await clerk.call(add, { applet_id: appletId, name: 'OpenPGP', file })
    desk.client.insert(newCard())
    await clerk.call(upload, atReader)
    const other = Buffer.concat([Buffer.from(file, 'base64'), Buffer.from('00', 'hex')]).toString('base64')
    const { sha256: later } = await clerk.call(change, { applet_id: appletId, file: other })
    expect(later).not.toBe(sha256)
    const told = ['added', 'loadBegan', 'loaded', 'changed']
    const rows = (await audited(desk.house, desk.pki.tenancy.id)).filter(({ area, name }) => area === 'applets' && told.includes(name))
    expect(rows.slice(-4).map(({ name, body }) => [name, JSON.parse(body)])).toMatchObject([
      ['added', { sha256, packageId }],
      ['loadBegan', { sha256, packageId }],
      ['loaded', { sha256, packageId }],
      ['changed', { sha256: later, packageId }],
    ])
  })

  test('is kept and deleted by a session that has just proved whose it is, and by no token', async () => {
    const draft = { customer_sc_hardware: 'Blue cards', masterKey: master, checkValue }
    expect(await refusal(clerk.call(addConfig, draft))).toMatchObject({ status: 403 })
    await keeper.call(addConfig, draft)
    expect(await refusal(clerk.call(removeConfig, { customer_sc_hardware: 'Blue cards' }))).toMatchObject({ status: 403 })
    const stale = await clerk.session()
    desk.house.clock.advance(6 * 60_000)
    expect(await refusal(stale.call(addConfig, { ...draft, customer_sc_hardware: 'Red cards' }))).toMatchObject({ code: 'proof_needed' })
    expect(await refusal(stale.call(removeConfig, { customer_sc_hardware: 'Blue cards' }))).toMatchObject({ code: 'proof_needed' })
    keeper = await clerk.session()
  })

  test('is tried once on a card that has other keys, and only as it was typed', async () => {
    const other = '000102030405060708090A0B0C0D0E0F'
    const otherCheck = 'C35280'
    await expect(
      keeper.call(addConfig, { customer_sc_hardware: 'Red cards', masterKey: other, checkValue: '000000' }),
    ).rejects.toMatchObject({ code: 'wrongCheck' })
    await keeper.call(addConfig, { customer_sc_hardware: 'Red cards', masterKey: other, checkValue: otherCheck })
    await clerk.call(add, { applet_id: appletId, name: 'OpenPGP', file })
    const card = newCard()
    desk.client.insert(card)
    await expect(clerk.call(upload, atReader)).rejects.toMatchObject({ code: 'otherKey' })
    const typed = { ...atReader, confirmation: otherCheck }
    await expect(clerk.call(upload, typed)).rejects.toMatchObject({ code: 'otherCardKeys' })
    await expect(clerk.call(upload, typed)).rejects.toMatchObject({ code: 'triedBefore' })
    expect(card.state.manager?.applets ?? []).toEqual([])
    await expect(clerk.call(upload, { ...typed, reader: 'No reader' })).rejects.toMatchObject({ code: 'noReader' })
  })
})
