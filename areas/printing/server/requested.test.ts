// Cards that were requested: what becomes of them between the batch and the printer.

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cardrequests } from '#areas/cardrequests/contract.ts'
import { connectClient, openDesk, printerName, type DeskFixture, type TestClient } from '#areas/smartcards/server/desk.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { addPerson } from '#areas/users/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { printing } from '../contract.ts'
import { oneAtATime } from './drawn-parts.ts'

let desk: DeskFixture
let clerk: TestPerson
let client: TestClient
let cardTemplateId: string
const { addBatchOfRequests, addBatch, printBatch, status, requested, reprint, setBureau, printCard } = printing.calls
const { requestOwn, withdrawOwn, withdraw } = cardrequests.calls

beforeAll(async () => {
  desk = await openDesk({ background: true })
  clerk = desk.pki.tenancy.administrator
  client = await connectClient(clerk, 'print desk')
  cardTemplateId = desk.cardTemplateId
  const photo = { kind: 'photo' as const, x: 10, y: 10, width: 24, height: 32 }
  await clerk.call(printing.calls.setFace, { cardTemplateId, front: { elements: [photo] }, back: {} })
})
beforeEach(() => {
  client.printer.jobs = []
})
afterAll(async () => {
  client.link.close()
  await desk.close()
})

const [red, blue] = ['#ff0000', '#0000ff'] as const
function photoOf(colour: string, type: 'image/jpeg' | 'image/png' = 'image/jpeg'): string {
  const canvas = createCanvas(300, 400)
  const context = canvas.getContext('2d')
  context.fillStyle = colour
  context.fillRect(0, 0, 300, 400)
  const bytes = type === 'image/png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg', 90)
  return `data:${type};base64,${bytes.toString('base64')}`
}

/** Where the photo is on the face: the colour that is strongest there. */
async function colourOf(jpeg: Uint8Array): Promise<'red' | 'blue' | 'none'> {
  const picture = await loadImage(jpeg)
  const looked = createCanvas(picture.width, picture.height).getContext('2d')
  looked.drawImage(picture, 0, 0)
  const [r = 0, , b = 0] = looked.getImageData(260, 307, 1, 1).data
  return r > 200 && b < 60 ? 'red' : b > 200 && r < 60 ? 'blue' : 'none'
}

/** The first picture of a PDF. */
function firstPicture(pdf: Buffer): Buffer {
  const head = /\/Filter \/DCTDecode \/Length (\d+) >>\nstream\n/.exec(pdf.toString('latin1'))
  const from = (head?.index ?? 0) + (head?.[0].length ?? 0)
  return pdf.subarray(from, from + Number(head?.[1]))
}
const printedColours = () => Promise.all(client.printer.jobs.map(({ document }) => colourOf(firstPicture(Buffer.from(document)))))

const applicant = () => desk.pki.tenancy.person({ permissions: ['selfServicePortal'], familyName: 'Batchwright' })
const ask = async (person: TestPerson, colour: string) =>
  (await person.call(requestOwn, { cardTemplateId, photo: photoOf(colour, colour === blue ? 'image/png' : 'image/jpeg') })).requestId
const print = async (batchId: string): Promise<void> => {
  await clerk.call(printBatch, { batch_id: batchId, reader: printerName, printOnly: true })
  await expect.poll(async () => (await clerk.call(status, { id: batchId })).state, { interval: 100 }).toBe('done')
}
const cardsOf = async (batchId: string) => (await clerk.call(status, { id: batchId })).cardList

describe('A card in a batch', () => {
  test('is not printed when its request was withdrawn, or its person disabled or deleted meanwhile, and says why', async () => {
    const people = [await applicant(), await applicant(), await applicant(), await applicant()] as const
    const ids: string[] = []
    for (const person of people) ids.push(await ask(person, red))
    const [withdrawn, disabled, deleted, stays] = people
    const { batchId, cards } = await clerk.call(addBatchOfRequests, { inclusionList: ids })
    expect(cards).toBe(4)
    await clerk.call(withdraw, { ids: [ids[0] ?? ''] })
    await clerk.call(users.calls.setEnabled, { id: disabled.id, enabled: false })
    await clerk.call(users.calls.remove, { id: deleted.id })
    const why = async () => new Map((await cardsOf(batchId)).map(({ userId, state, skippedFor }) => [userId, [state, skippedFor]]))
    expect((await why()).get(withdrawn.id)).toEqual(['waiting', 'requestOver'])
    await print(batchId)
    const after = await why()
    expect(after.get(withdrawn.id)).toEqual(['skipped', 'requestOver'])
    expect(after.get(disabled.id)).toEqual(['skipped', 'personDisabled'])
    expect(after.get(undefined)).toEqual(['skipped', 'personGone'])
    expect(after.get(stays.id)).toEqual(['printed', undefined])
    expect(client.printer.jobs).toHaveLength(1)
    const told = (await audited(desk.house, desk.pki.tenancy.id)).filter(
      ({ name, body }) => name === 'skipped' && JSON.stringify(body).includes('requestOver'),
    )
    expect(told).toHaveLength(1)
  })

  test('has the photo of its request and of no later one', async () => {
    const person = await applicant()
    const first = await ask(person, red)
    const { batchId } = await clerk.call(addBatchOfRequests, { inclusionList: [first] })
    await person.call(withdrawOwn, { id: first })
    const second = await ask(person, blue)
    // The desk has looked at the red one: what nobody has seen does not take its place.
    await print(batchId)
    expect(client.printer.jobs).toEqual([])
    // Sent as PNG, and kept as JPEG.
    const row = (await clerk.call(requested, { text: 'Batchwright' })).rows.find(({ id }) => id === second)
    expect(row).toMatchObject({ hasPhoto: true })
    expect(row?.printState).toBeUndefined()
    const shown = await clerk.fetch(`${printing.endpoints.requestedPhoto.path}?id=${second}`)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    await print((await clerk.call(addBatchOfRequests, { inclusionList: [second] })).batchId)
    expect(await printedColours()).toEqual(['blue'])
  })

  test('that somebody put into a batch by name keeps the photo that there was, or is not printed', async () => {
    const person = await applicant()
    const first = await ask(person, red)
    const { batchId } = await clerk.call(addBatch, { users: [{ userId: person.id, cardTemplateId }] })
    await person.call(withdrawOwn, { id: first })
    await ask(person, blue)
    await print(batchId)
    expect(client.printer.jobs).toEqual([])
    const [card] = await cardsOf(batchId)
    expect(card).toMatchObject({ state: 'skipped', skippedFor: 'photoGone' })
    // Whoever looks at it and lets it be printed again takes the photo that there is now.
    await clerk.call(reprint, { printedCardId: card?.id ?? '', reason: 'The photo is right' })
    await print(batchId)
    expect(await printedColours()).toEqual(['blue'])
  })

  test('is in no file for the bureau when its request is over, and the file says so', async () => {
    const { tools } = desk
    const keyFile = tools.write('')
    const made = tools.run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-subj', '/CN=Card bureau')
    await clerk.call(setBureau, { certificate: made })
    const [gone, stays] = [await applicant(), await applicant()]
    const ids = [await ask(gone, red), await ask(stays, blue)]
    const { batchId } = await clerk.call(addBatchOfRequests, { inclusionList: ids })
    await gone.call(withdrawOwn, { id: ids[0] ?? '' })
    const file = async (name: string) =>
      Buffer.from(await (await clerk.fetch(`${printing.endpoints.file.path}?id=${batchId}&file=${name}`)).arrayBuffer())
    const decrypt = ['-decrypt', '-inform', 'DER', '-inkey', keyFile, '-recip', tools.write(made)]
    const opened = tools.run('cms', ...decrypt, '-in', tools.write(await file('bureau')))
    const { cards, leftOut } = JSON.parse(opened) as { cards: { username: string; front: string }[]; leftOut: { reason: string }[] }
    expect(cards.map(({ username }) => username)).toEqual([stays.username])
    expect(await colourOf(Buffer.from(cards[0]?.front ?? '', 'base64'))).toBe('blue')
    expect(leftOut).toMatchObject([{ reason: 'requestOver' }])
    expect((await file('faces')).toString('latin1').match(/\/MediaBox/g)).toHaveLength(2)
    expect((await file('list')).toString('utf8')).toContain('The request for the card is not open any more')
  })

  test('that is printed alone has the photo that was looked at, or is not printed', async () => {
    const person = await applicant()
    const first = await ask(person, red)
    const { photoHash = '' } = await clerk.call(printing.calls.layout, { userId: person.id, templateId: cardTemplateId })
    await person.call(withdrawOwn, { id: first })
    await ask(person, blue)
    const at = { printer: printerName, cardSerial: '', userId: person.id, cardTemplateId }
    await expect(clerk.call(printCard, { ...at, photoHash })).rejects.toMatchObject({ status: 409, code: 'photoChanged' })
    expect(client.printer.jobs).toEqual([])
    const looked = await clerk.call(printing.calls.layout, { userId: person.id, templateId: cardTemplateId })
    await clerk.call(printCard, { ...at, photoHash: looked.photoHash ?? '' })
    expect(await printedColours()).toEqual(['blue'])
  })

  test('that is printed alone with a photo that the person sent wants somebody who looked at it, and is not printed with what comes in its place', async () => {
    const [person, other] = [await applicant(), await applicant()]
    const [id, another] = [await ask(person, red), await ask(other, blue)]
    const at = { printer: printerName, cardSerial: '', userId: person.id, cardTemplateId }
    await expect(clerk.call(printCard, at)).rejects.toMatchObject({ code: 'photoUnseen', fields: [{ field: 'photoHash' }] })
    const { photoHash = '' } = await clerk.call(printing.calls.layout, { userId: person.id, templateId: cardTemplateId })
    // After it was compared and before it is drawn.
    await desk.house.asOwner(`create function swapped() returns trigger language plpgsql as $$ begin
      update card_request_photos set bytes = (select bytes from card_request_photos where request_id = '${another}') where request_id = '${id}';
      return null;
    end $$; create trigger swapped after update on printed_cards for each row when (new.state = 'sending') execute function swapped()`)
    try {
      await expect(clerk.call(printCard, { ...at, photoHash })).rejects.toMatchObject({
        code: 'notPrinted',
        message: expect.stringContaining('The photo was changed') as string,
      })
    } finally {
      await desk.house.asOwner('drop trigger swapped on printed_cards; drop function swapped()')
    }
    expect(client.printer.jobs).toEqual([])
  })

  test('that is printed alone is for somebody who may have one', async () => {
    const person = await applicant()
    await clerk.call(users.calls.setEnabled, { id: person.id, enabled: false })
    await expect(clerk.call(printCard, { printer: printerName, cardSerial: '', userId: person.id, cardTemplateId })).rejects.toMatchObject({
      code: 'notPrinted',
      message: expect.stringContaining('The account of the person is disabled') as string,
    })
    expect(client.printer.jobs).toEqual([])
  })
})

test('A file of many cards is made in parts, and one of a tenancy at a time', async () => {
  const { tools } = desk
  const keyFile = tools.write('')
  const made = tools.run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-subj', '/CN=Card bureau')
  await clerk.call(setBureau, { certificate: made })
  const people = await withTenancy(desk.house.house, desk.pki.tenancy.id, async ({ db, tenantId, now }) => {
    const ids: string[] = []
    for (let at = 0; at < 45; at += 1) {
      const name = `manywright${at}`
      ids.push(
        (await addPerson(
          db,
          tenantId,
          { username: name, givenName: 'Ada', familyName: name, emailAddress: `${name}@example.org`, origin: 'form' },
          now,
        )) ?? '',
      )
    }
    return ids
  })
  const { batchId } = await clerk.call(addBatch, { users: people.map((userId) => ({ userId, cardTemplateId })) })
  const at = (name: string) => `${printing.endpoints.file.path}?id=${batchId}&file=${name}`
  const [faces, sealed] = await Promise.all(
    [clerk.fetch(at('faces')), clerk.fetch(at('bureau'))].map(async (one) => Buffer.from(await (await one).arrayBuffer())),
  )
  expect(faces?.toString('latin1').match(/\/MediaBox/g)).toHaveLength(90)
  const pages = tools.run(
    'cms',
    '-decrypt',
    '-inform',
    'DER',
    '-inkey',
    keyFile,
    '-recip',
    tools.write(made),
    '-in',
    tools.write(sealed ?? ''),
  )
  expect((JSON.parse(pages) as { cards: unknown[] }).cards).toHaveLength(45)
})

test('Who takes a file too slowly loses the place to the next one, and the file', async () => {
  const parts = async function* () {
    for (let at = 0; at < 3; at += 1) yield new Uint8Array([at])
  }
  const slow = oneAtATime('a tenancy', parts(), 20)
  await slow.next()
  const next = oneAtATime('a tenancy', parts())
  expect(await next.next()).toEqual({ done: false, value: new Uint8Array([0]) })
  await expect(slow.next()).rejects.toThrow('too slowly')
  await next.return(undefined)
})
