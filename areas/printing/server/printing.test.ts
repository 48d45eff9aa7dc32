import { createCanvas, loadImage } from '@napi-rs/canvas'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cardrequests } from '#areas/cardrequests/contract.ts'
import { profiles } from '#areas/profiles/contract.ts'
import { connectClient, openDesk, printerName, type DeskFixture, type TestClient } from '#areas/smartcards/server/desk.fixture.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { audited } from '#core/testing/events.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { attributeOf, decodeIpp, operations } from '#standards/ipp/ipp.ts'
import { printing } from '../contract.ts'

let desk: DeskFixture
let clerk: TestPerson
let cardTemplateId: string
const { faced, face, setFace, layout, layoutOfPerson, layoutOfData, printers, insert, eject, printCard } = printing.calls
const { requested, addBatchOfRequests, addBatch, printBatch, stop, skip, reprint, deactivate, status, batches, mine } = printing.calls
const { preview, calibrate, printed, bureau, setBureau, takings, checkBatch } = printing.calls
const box = { x: 5, y: 5, width: 60, height: 6 }
const front = { background: '#ffffff', elements: [{ kind: 'text' as const, ...box, text: '{givenName} {familyName}' }] }
const back = { background: '#1f6feb', elements: [{ kind: 'qr' as const, ...box, height: 30, text: '{userName}' }] }

beforeAll(async () => {
  desk = await openDesk({ background: true })
  // The security client is that of the person at the desk.
  clerk = desk.pki.tenancy.administrator
  printerOf = await connectClient(clerk, 'print desk')
  cardTemplateId = desk.cardTemplateId
  await clerk.call(setFace, { cardTemplateId, front, back })
})
let printerOf: TestClient
beforeEach(() => {
  printerOf.printer.next = []
})
afterAll(async () => {
  printerOf.link.close()
  await desk.close()
})

let count = 0
const somebody = () => desk.pki.tenancy.person({ permissions: [], givenName: 'Pat', familyName: `Printed ${(count += 1)}` })
async function batchOf(size: number) {
  const people: TestPerson[] = []
  // A few at a time: two hundred at once would wait for connections longer than they may.
  while (people.length < size)
    people.push(...(await Promise.all(Array.from({ length: Math.min(10, size - people.length) }, () => somebody()))))
  const { batchId } = await clerk.call(addBatch, { users: people.map(({ id }) => ({ userId: id, cardTemplateId, userDn: '' })) })
  return { batchId, people }
}
const print = (batchId: string) => clerk.call(printBatch, { batch_id: batchId, reader: printerName, printOnly: true })
const ended = async (batchId: string): Promise<void> => {
  await expect.poll(async () => (await clerk.call(status, { id: batchId })).state, { timeout: 500_000, interval: 100 }).not.toBe('printing')
}
const isJpeg = (base64: string) => Buffer.from(base64, 'base64').subarray(0, 3).toString('hex') === 'ffd8ff'

describe('A face', () => {
  test('is designed once for a template, and not over the change of another', async () => {
    expect(await clerk.call(face, { cardTemplateId })).toMatchObject({ front, back, version: 1 })
    await clerk.call(setFace, { cardTemplateId, front, back, version: 1 })
    await expect(clerk.call(setFace, { cardTemplateId, front, back, version: 1 })).rejects.toMatchObject({ code: 'conflict' })
    await expect(
      clerk.call(setFace, { cardTemplateId, back, front: { ...front, elements: [{ kind: 'text', ...box, width: 500 }] } }),
    ).rejects.toMatchObject({ status: 400 })
  })

  test('is shown for a person, for a card and for what is told of somebody', async () => {
    const person = await somebody()
    const byPerson = await clerk.call(layout, { userId: person.id, templateId: cardTemplateId })
    expect(isJpeg(byPerson.frontCompressed) && isJpeg(byPerson.backCompressed)).toBe(true)
    const older = await clerk.call(layoutOfPerson, { userId: person.id, templateId: cardTemplateId })
    expect(older).toEqual({ front_image: byPerson.frontCompressed, back_image: byPerson.backCompressed })
    const userData = { givenName: 'مريم', familyName: 'x'.repeat(120), userName: '<svg>' }
    const told = await clerk.call(layoutOfData, { userData, templateId: cardTemplateId })
    expect(isJpeg(told.frontCompressed)).toBe(true)
    expect(told.frontCompressed).not.toBe(byPerson.frontCompressed)
    await expect(clerk.call(layout, { cardSerial: 'no such card' })).rejects.toMatchObject({ status: 404 })
    await expect(clerk.call(layout, { userId: person.id, templateId: person.id })).rejects.toMatchObject({ code: 'unknownTemplate' })
  })
})

describe('The preview of a design', () => {
  const side = (...elements: NonNullable<DraftOf<typeof preview>['front']['elements']>) => ({ elements })

  test('is drawn before it is saved, and says what would go wrong in print', async () => {
    const wide = { kind: 'text' as const, ...box, width: 4, text: 'x'.repeat(60) }
    const front = side(wide, { kind: 'photo', x: 60, y: 5, width: 20, height: 26 }, { kind: 'text', ...box, text: '\u{10fffd}' })
    const back = side(
      { kind: 'barcode', ...box, width: 10, text: 'ada.lovelace' },
      { kind: 'qr', ...box, text: 'x'.repeat(190), height: 3 },
    )
    const drawn = await clerk.call(preview, { cardTemplateId, front, back })
    expect(isJpeg(drawn.frontCompressed) && isJpeg(drawn.backCompressed)).toBe(true)
    expect(drawn.warnings).toEqual([
      { side: 'front', element: 0, warning: 'tooLong' },
      { side: 'front', element: 1, warning: 'noPhoto' },
      { side: 'front', element: 2, warning: 'noGlyph' },
      { side: 'back', element: 0, warning: 'noBarcode' },
      { side: 'back', element: 1, warning: 'noQr' },
    ])
    const person = await somebody()
    await expect(clerk.call(preview, { cardTemplateId, userId: cardTemplateId, front, back })).rejects.toMatchObject({
      code: 'unknownPerson',
    })
    const arabic = side({ kind: 'text', ...box, text: 'مريم القحطاني' }, { kind: 'text', ...box, y: 20, text: 'Ünïcødé' })
    expect((await clerk.call(preview, { cardTemplateId, userId: person.id, front: arabic, back: {} })).warnings).toEqual([])
  })

  test('leaves out an element whose condition nobody meets', async () => {
    const person = await somebody()
    const shown = async (when?: 'orgOid') =>
      (
        await clerk.call(preview, {
          cardTemplateId,
          userId: person.id,
          front: side({ kind: 'box', ...box, colour: '#ff0000', ...(when === undefined ? {} : { when }) }),
          back: {},
        })
      ).frontCompressed
    const without = (await clerk.call(preview, { cardTemplateId, userId: person.id, front: {}, back: {} })).frontCompressed
    expect(await shown('orgOid')).toBe(without)
    expect(await shown()).not.toBe(without)
  })

  test('has a bar code, and the photo of the person', async () => {
    const person = await somebody()
    const canvas = createCanvas(300, 400)
    canvas.getContext('2d').fillStyle = '#0000ff'
    canvas.getContext('2d').fillRect(0, 0, 300, 400)
    const photo = `data:image/png;base64,${canvas.toBuffer('image/png').toString('base64')}`
    await desk.pki.tenancy.administrator.call(profiles.calls.setPhoto, { id: person.id, photo })
    const front = side({ kind: 'photo', x: 10, y: 10, width: 24, height: 32 })
    const back = side({ kind: 'barcode', x: 5, y: 10, width: 75, height: 12, text: '{userName}' })
    const drawn = await clerk.call(preview, { cardTemplateId, userId: person.id, front, back })
    expect(drawn.warnings).toEqual([])
    const picture = await loadImage(Buffer.from(drawn.frontCompressed, 'base64'))
    const looked = createCanvas(picture.width, picture.height).getContext('2d')
    looked.drawImage(picture, 0, 0)
    const [red = 0, green = 0, blue = 0] = looked.getImageData(260, 307, 1, 1).data
    expect([red < 40, green < 40, blue > 200]).toEqual([true, true, true])
  })
})

describe('A card printer', () => {
  test('takes a card in, prints it and gives it out', async () => {
    expect((await clerk.call(printers, {})).printers).toMatchObject([{ name: printerName, machine: 'print desk', isCardPrinter: true }])
    const person = await somebody()
    const at = { printer: printerName, cardSerial: 'C-1', userId: person.id, cardTemplateId }
    await clerk.call(insert, at)
    await expect(clerk.call(insert, at)).rejects.toMatchObject({ code: 'printerRefused' })
    await clerk.call(printCard, at)
    const job = printerOf.printer.jobs.at(-1)
    const text = job?.document.toString('latin1') ?? ''
    expect(text.startsWith('%PDF-1.4')).toBe(true)
    // 85.60 by 53.98 millimetres in points, on each side.
    expect(text.match(/\/MediaBox \[0 0 242\.646 153\.014\]/g)).toHaveLength(2)
    await expect(clerk.call(eject, at)).rejects.toMatchObject({ code: 'printerRefused' })
    await expect(clerk.call(insert, { ...at, printer: 'No such printer' })).rejects.toMatchObject({ code: 'noPrinter' })
  })

  test('that aborts, forgets the job or never answers is not believed to have printed', async () => {
    const person = await somebody()
    const at = { printer: printerName, cardSerial: '', userId: person.id, cardTemplateId }
    const tries = [
      ['abort', 'notPrinted'],
      ['vanish', 'printUnknown'],
      ['lost', 'printUnknown'],
    ] as const
    for (const [fate, code] of tries) {
      printerOf.printer.next = [fate]
      await expect(clerk.call(printCard, at)).rejects.toMatchObject({ status: 409, code })
    }
  })

  test('prints a calibration card, which is the card of nobody', async () => {
    const before = (await clerk.call(printed, {})).total
    printerOf.printer.jobs = []
    await clerk.call(calibrate, { printer: printerName })
    expect(printerOf.printer.jobs).toMatchObject([{ name: 'calibration card' }])
    expect((await clerk.call(printed, {})).total).toBe(before)
    printerOf.printer.next = ['abort']
    await expect(clerk.call(calibrate, { printer: printerName })).rejects.toMatchObject({ code: 'notPrinted' })
    printerOf.printer.next = ['vanish']
    await expect(clerk.call(calibrate, { printer: printerName })).rejects.toMatchObject({ code: 'printUnknown' })
  })

  test('is not there for who has no security client', async () => {
    const other = await desk.pki.tenancy.person({ permissions: ['smartcardBatchFilesPrint'] })
    await expect(other.call(printers, {})).rejects.toMatchObject({ status: 409, code: 'noClient' })
  })
})

describe('A batch', () => {
  test('of ten prints each card once; one that jams is named, and printed again with a reason', async () => {
    const { batchId } = await batchOf(10)
    printerOf.printer.jobs = []
    printerOf.printer.next = ['print', 'print', 'print', 'print', 'abort']
    expect(await print(batchId)).toEqual({ waiting: 10 })
    await expect(print(batchId)).rejects.toMatchObject({ code: 'isPrinting' })
    await ended(batchId)
    const after = await clerk.call(status, { id: batchId })
    expect(after).toMatchObject({ state: 'done', cards: 10, printed: 9, troubled: 1 })
    expect(printerOf.printer.jobs).toHaveLength(10)
    const [jammed] = after.cardList.filter(({ state }) => state === 'failed')
    expect(jammed).toMatchObject({ says: 'aborted-by-system', attempt: 1 })
    await expect(print(batchId)).rejects.toMatchObject({ code: 'nothing' })
    await clerk.call(reprint, { printedCardId: jammed?.id ?? '', reason: 'The card was bent' })
    await print(batchId)
    await ended(batchId)
    const last = await clerk.call(status, { id: batchId })
    expect(last).toMatchObject({ state: 'done', printed: 10, troubled: 0 })
    expect(last.cardList.map(({ againFor }) => againFor).filter((why) => why !== undefined)).toEqual(['The card was bent'])
    expect(new Set(printerOf.printer.jobs.map(({ name }) => name)).size).toBe(11)
    const events = (await audited(desk.house, desk.pki.tenancy.id)).filter(({ about }) => about === jammed?.id).map(({ name }) => name)
    expect(events).toEqual(['sent', 'ended', 'reprinted', 'sent', 'ended'])
  })

  test('leaves out what is skipped, and what is printed can be deactivated', async () => {
    const { batchId } = await batchOf(2)
    const [first, second] = (await clerk.call(status, { id: batchId })).cardList
    await clerk.call(skip, { printedCardId: first?.id ?? '' })
    await expect(clerk.call(skip, { printedCardId: first?.id ?? '' })).rejects.toMatchObject({ code: 'notWaiting' })
    await expect(clerk.call(deactivate, { printedCardId: second?.id ?? '' })).rejects.toMatchObject({ code: 'notPrinted' })
    await print(batchId)
    await ended(batchId)
    await clerk.call(deactivate, { printedCardId: second?.id ?? '' })
    expect((await clerk.call(status, { id: batchId })).cardList.map(({ state }) => state)).toEqual(['skipped', 'deactivated'])
  })

  test('whose server died says that nobody knows of the card at the printer, and stops', async () => {
    const { batchId } = await batchOf(3)
    const { ask } = printerOf.printer
    const [asked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // Whoever follows the job stands still, as one that has died does.
    printerOf.printer.ask = async (name, message) => {
      if (decodeIpp(message).code !== operations.getJobAttributes) return ask(name, message)
      asked.resolve()
      await goesOn.promise
      return ask(name, message)
    }
    await print(batchId)
    await asked.promise
    expect((await clerk.call(status, { id: batchId })).cardList[0]?.state).toBe('printing')
    await clerk.call(stop, { batchId })
    house().clock.advance(300_000)
    await house().runJob(printing.jobs.abandoned)
    const { state, cardList } = await clerk.call(status, { id: batchId })
    expect(state).toBe('stopped')
    expect(cardList.map((card) => card.state)).toEqual(['unknown', 'waiting', 'waiting'])
    printerOf.printer.ask = ask
    goesOn.resolve()
  })

  // CHANCERY_PRINT_ROUND=200 for as many.
  test('prints each card once or says that nobody knows, whatever the printer and the security client do', async () => {
    const size = Number(process.env['CHANCERY_PRINT_ROUND'] ?? 8)
    const fates = ['print', 'lost', 'print', 'vanish', 'print', 'abort'] as const
    const { batchId } = await batchOf(size)
    const desired = printerOf.printer
    const sent: string[] = []
    const completed: string[] = []
    /** Watches what comes to the printer, and lets the client go away in the middle, once. */
    const watch = (client: TestClient, dies: boolean) => {
      const { ask } = client.printer
      client.printer.ask = async (name, message) => {
        const { code, groups } = decodeIpp(message)
        if (code !== operations.printJob) return ask(name, message)
        const card = String(attributeOf({ code, requestId: 0, groups }, 'job-name')[0])
        const fate = client.printer.next[0] ?? 'print'
        sent.push(card)
        if (fate === 'print' || fate === 'lost' || fate === 'vanish') completed.push(card)
        if (dies && sent.length === Math.ceil(size / 2)) {
          client.link.close()
          throw new Error('The security client was killed')
        }
        return ask(name, message)
      }
    }
    watch(printerOf, true)
    desired.next = Array.from({ length: size }, (_, n) => fates[n % fates.length] ?? 'print')
    // A card of which nobody knows stops the batch, before the client is killed and then.
    while (sent.length < Math.ceil(size / 2)) {
      await print(batchId)
      await ended(batchId)
    }
    await printerOf.ended
    printerOf = await connectClient(clerk, 'print desk')
    watch(printerOf, false)
    expect((await clerk.call(status, { id: batchId })).state).toBe('stopped')
    // What nobody sent is taken up; what is unknown a person would look for.
    while ((await clerk.call(status, { id: batchId })).cardList.some(({ state }) => state === 'waiting')) {
      await print(batchId)
      await ended(batchId)
    }
    const { cardList } = await clerk.call(status, { id: batchId })
    expect(new Set(sent).size).toBe(sent.length)
    // A card counts as printed only where it came out once, and one that may have come out is never taken for one that did not.
    const isRight = ({ id, state }: { id: string; state: string }): boolean => {
      const came = completed.filter((card) => card.includes(id)).length
      return state === 'printed' ? came === 1 : state === 'failed' ? came === 0 : state === 'unknown' && came <= 1
    }
    expect(cardList.filter((card) => !isRight(card))).toEqual([])
    expect(cardList.filter(({ state }) => state === 'printed').length).toBeGreaterThan(0)
  }, 600_000)

  test('is made of open requests, and of a request once', async () => {
    const people = await Promise.all([somebody(), somebody(), somebody()])
    const inclusionList = people.map(({ id }) => id)
    await clerk.call(cardrequests.calls.request, { inclusionList, options: { cardTemplateId } })
    const waiting = async () => (await clerk.call(requested, {})).rows.filter(({ userId }) => inclusionList.includes(userId))
    const [first] = await waiting()
    expect(first?.printState).toBeUndefined()
    const { batchId, cards } = await clerk.call(addBatchOfRequests, { inclusionList: [first?.id ?? ''] })
    expect(cards).toBe(1)
    expect((await clerk.call(status, { id: batchId })).cardList.map(({ userId }) => userId)).toEqual([first?.userId])
    expect((await waiting()).map(({ printState }) => printState)).toEqual(['waiting', undefined, undefined])
    expect(await clerk.call(addBatchOfRequests, { selectAll: true, text: 'Printed' })).toMatchObject({ cards: 2, left: 1 })
    await expect(clerk.call(addBatchOfRequests, { selectAll: true })).rejects.toMatchObject({ code: 'noneLeft' })
  })

  test('is made of a request once, also where three make it at the same moment', async () => {
    const people = await Promise.all([somebody(), somebody(), somebody()])
    const inclusionList = people.map(({ id }) => id)
    await clerk.call(cardrequests.calls.request, { inclusionList, options: { cardTemplateId } })
    const ids = (await clerk.call(requested, {})).rows.filter(({ userId }) => inclusionList.includes(userId)).map(({ id }) => id)
    const made = await Promise.allSettled([1, 2, 3].map(async () => clerk.call(addBatchOfRequests, { inclusionList: ids })))
    expect(made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.cards] : []))).toEqual([3])
    expect(made.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))).toEqual([
      'noneLeft',
      'noneLeft',
    ])
  })

  test('has files, taken on record: a list without formulas, and the faces', async () => {
    const person = await desk.pki.tenancy.person({ permissions: [], givenName: '=cmd()', familyName: 'Formula' })
    const { batchId } = await clerk.call(addBatch, { users: [{ userId: person.id, cardTemplateId, userDn: '' }] })
    const path = `${printing.endpoints.file.path}?id=${batchId}`
    const list = await (await clerk.fetch(`${path}&file=list`)).text()
    expect(list).not.toMatch(/(^|,)"?=cmd/m)
    const faces = Buffer.from(await (await clerk.fetch(`${path}&file=faces`)).arrayBuffer())
    expect(faces.subarray(0, 8).toString()).toBe('%PDF-1.4')
    const taken = (await audited(house(), desk.pki.tenancy.id)).filter(
      ({ about, name }) => about === batchId && /^file(Taken|Completed)$/.test(name),
    )
    expect(taken).toHaveLength(4)
  })

  test('is sealed to the bureau, who alone can read it, and says who took which file', async () => {
    const { tools } = desk
    const keyFile = tools.write('')
    const made = (...more: string[]) =>
      tools.run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-subj', '/CN=Card bureau', ...more)
    expect(await clerk.call(bureau, {})).toEqual({})
    const { batchId, people } = await batchOf(2)
    const at = (file: string) => `${printing.endpoints.file.path}?id=${batchId}&file=${file}`
    expect((await clerk.fetch(at('bureau'))).status).toBe(404)
    await expect(clerk.call(setBureau, { certificate: 'no certificate' })).rejects.toMatchObject({ code: 'notOne' })
    const ed25519 = tools.run('req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', tools.write(''), '-subj', '/CN=Signs only')
    await expect(clerk.call(setBureau, { certificate: ed25519 })).rejects.toMatchObject({ code: 'cannotReceive' })
    const certificate = made()
    await clerk.call(setBureau, { certificate })
    expect((await clerk.call(bureau, {})).bureau).toMatchObject({ subject: 'CN=Card bureau', isOver: false })
    const answer = await clerk.fetch(at('bureau'))
    const sealed = Buffer.from(await answer.arrayBuffer())
    expect(sealed.includes(people[0]?.username ?? '')).toBe(false)
    const opened = tools.run(
      'cms',
      '-decrypt',
      '-inform',
      'DER',
      '-in',
      tools.write(sealed),
      '-inkey',
      keyFile,
      '-recip',
      tools.write(certificate),
    )
    const { cards } = JSON.parse(opened) as { cards: { username: string; front: string }[] }
    expect(cards.map(({ username }) => username)).toEqual(people.map(({ username }) => username))
    expect(cards.every(({ front: face }) => isJpeg(face))).toBe(true)
    await (await clerk.fetch(at('faces'))).arrayBuffer()
    // One that breaks off was begun, and is not said to be complete.
    await house().asOwner('alter table card_faces rename to lost_faces')
    await expect(clerk.fetch(at('faces')).then((broken) => broken.arrayBuffer())).rejects.toThrow()
    await house().asOwner('alter table lost_faces rename to card_faces')
    expect((await clerk.call(takings, { batchId })).rows.map(({ file, by, isWhole }) => [file, by, isWhole])).toEqual([
      ['faces', clerk.username, false],
      ['faces', clerk.username, true],
      ['bureau', clerk.username, true],
    ])
    const stranger = (await house().tenancy('Initech')).administrator
    expect(await stranger.call(bureau, {})).toEqual({})
    await expect(stranger.call(takings, { batchId })).rejects.toMatchObject({ status: 404 })
  })

  test('is drawn before it is printed, and its cards are found by the person afterwards', async () => {
    const person = await desk.pki.tenancy.person({ permissions: [], givenName: 'Wanda', familyName: 'W'.repeat(100) })
    const { batchId } = await clerk.call(addBatch, { users: [{ userId: person.id, cardTemplateId }] })
    expect(await clerk.call(checkBatch, { batchId })).toMatchObject({ cards: 1, warnings: [{ warning: 'tooLong' }] })
    expect((await clerk.call(printed, { text: 'Wanda' })).rows).toMatchObject([{ state: 'waiting', batchId }])
    expect((await clerk.call(printed, { text: 'Wanda', state: 'printed' })).rows).toEqual([])
  })

  test('needs people, faces and a printer that are there, and is of its tenancy alone', async () => {
    const person = await somebody()
    const faceless = await desk.addTemplate([{ slot: '9A', algorithm: 'P-256', templateId: desk.templateId }])
    const draft = (userId: string, templateId: string) => clerk.call(addBatch, { users: [{ userId, cardTemplateId: templateId }] })
    const { cardTemplates } = await clerk.call(faced, {})
    const name = cardTemplates.find((one) => one.cardTemplateId === faceless)?.name
    expect(cardTemplates).toContainEqual({ cardTemplateId: faceless, name: expect.stringMatching(/^Staff/), hasFace: false })
    expect(cardTemplates).toContainEqual(expect.objectContaining({ cardTemplateId, hasFace: true }))
    const refusal = (code: string, field: string, says: string) => ({ code, fields: [{ field: `users.0.${field}`, says }] })
    await expect(draft(person.id, faceless)).rejects.toMatchObject(
      refusal('faceless', 'cardTemplateId', `The template of cards ${name} has no face yet: design it under Settings`),
    )
    await expect(draft(person.id, person.id)).rejects.toMatchObject(
      refusal('unknownTemplate', 'cardTemplateId', `There is no template of cards ${person.id}`),
    )
    await expect(draft(cardTemplateId, cardTemplateId)).rejects.toMatchObject(
      refusal('unknownPerson', 'userId', `There is no person ${cardTemplateId}`),
    )
    const { batchId } = await batchOf(1)
    await expect(clerk.call(printBatch, { batch_id: batchId, reader: printerName, printOnly: false })).rejects.toMatchObject({
      code: 'onlyPrint',
    })
    const stranger = (await house().tenancy('Globex')).administrator
    await expect(stranger.call(status, { id: batchId })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.call(stop, { batchId })).rejects.toMatchObject({ status: 404 })
    expect((await stranger.fetch(`${printing.endpoints.file.path}?id=${batchId}`)).status).toBe(404)
    expect((await stranger.call(batches, {})).rows).toEqual([])
    expect((await clerk.call(mine, {})).total).toBeGreaterThan(0)
  })
})

const house = () => desk.house
