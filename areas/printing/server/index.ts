import { randomUUID } from 'node:crypto'
import { cardProgress } from '#areas/cardrequests/progress.ts'
import { cardKinds } from '#areas/smartcards/holders.ts'
import { moveCard, PrinterFault, printersOf, type Printer } from '#areas/smartcards/printers.ts'
import { findCardBySerial } from '#areas/smartcards/service.ts'
import { findPeople, searchPeople } from '#areas/users/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { offer } from '#core/contract/slots.ts'
import { fillText } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { formatName } from '#standards/x509/names.ts'
import { FaceDesign, printing } from '../contract.ts'
import { endedStates, skipLabels, type FaceFacts } from '../rules.ts'
import { drawnParts } from './drawn-parts.ts'
import { printBatch, printCalibration, printOne, take } from './engine.ts'
import { drawFaces, hashOf, type Faces } from './faces.ts'
import { boundPhoto, facePhoto, factsOf, hindered, isOwnPhoto, photoKey, photoRequests } from './facts.ts'
import { batchFile, presentBureau, readBureau } from './files.ts'
import { presentBatch, presentCards } from './presenter.ts'
import { requestedHandlers, requestedPhoto, stepsOf } from './requested.ts'
import {
  findBatch,
  findBureau,
  findFace,
  insertBatch,
  insertPrinted,
  listBusyPrinters,
  listCards,
  listFaced,
  listIdle,
  lockAbandoned,
  lockBatch,
  lockPrinted,
  pageOfBatches,
  pageOfPrinted,
  pageOfTakings,
  putBureau,
  putFace,
  releasePerson,
  updateBatch,
  updatePrinted,
} from './store.ts'

const idleMilliseconds = 120_000
const mostPeople = 500
const emptyFace = FaceDesign.parse({ front: {}, back: {} })

async function pageOf(tenancy: Tenancy, question: { page: number; size: number }) {
  const { rows, total } = await pageOfBatches(tenancy, question)
  const cards = Map.groupBy(
    await listCards(
      tenancy,
      rows.map(({ id }) => id),
    ),
    ({ batch_id: id }) => id,
  )
  return { rows: rows.map((row) => presentBatch(row, cards.get(row.id) ?? [])), total }
}

/** A card that is registered: its template, and what stands on it. */
async function cardFacts(tenancy: Tenancy, serial: string): Promise<Looking | undefined> {
  const card = await findCardBySerial(tenancy, serial)
  if (card?.cardTemplateId === undefined) return undefined
  return { templateId: card.cardTemplateId, facts: await factsOf(tenancy, card.holderId ?? null, card.serial) }
}

type FaultOf<C extends string> = (code: C, detail?: { params: Record<string, string> }) => never

async function printerOf(
  house: House,
  viewer: Viewer,
  name: string,
  fault: FaultOf<'noClient' | 'noPrinter' | 'printerTwice'>,
): Promise<Printer> {
  const printers = (await printersOf(house, viewer.userId)) ?? fault('noClient')
  const [found, other] = printers.filter((one) => one.name === name)
  // Cards with names and photos come out of one of them, and nobody may be there.
  if (other !== undefined) fault('printerTwice')
  return found ?? fault('noPrinter')
}

async function move(
  house: House,
  viewer: Viewer,
  { printer, to, address }: { printer: string; to: 'insert' | 'eject'; address: string },
  fault: FaultOf<'noClient' | 'noPrinter' | 'printerTwice' | 'printerRefused'>,
): Promise<Record<string, never>> {
  const found = await printerOf(house, viewer, printer, fault)
  try {
    await moveCard(found, to)
  } catch (error) {
    if (error instanceof PrinterFault) fault('printerRefused', { params: { reason: error.message } })
    throw error
  }
  await house.work(viewer.tenantId, { userId: viewer.userId, name: actorOf(viewer), address }, async ({ emitFor }) =>
    emitFor(printing)('moved', { printer, to }),
  )
  return {}
}

type Looking = { templateId: string; userId?: string | undefined; facts?: FaceFacts }

async function drawn(
  house: House,
  tenantId: string,
  { templateId, userId, facts }: Looking,
  fault: FaultOf<'unknownTemplate' | 'noFace' | 'unknownPerson'>,
): Promise<Faces> {
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    if (!(await cardKinds(tenancy)).some(({ id }) => id === templateId)) fault('unknownTemplate')
    const face = (await findFace(tenancy, templateId)) ?? fault('noFace')
    if (userId !== undefined && (await findPeople(tenancy.db, tenantId, [userId])).length === 0) fault('unknownPerson')
    const photo = await facePhoto(tenancy, userId ?? null, templateId)
    return { design: face.design, facts: facts ?? (await factsOf(tenancy, userId ?? null, '')), photo }
  })
  return drawFaces(found.design, found.facts, found.photo)
}

const compressed = ({ front, back, warnings, photoHash }: Faces) => ({
  frontCompressed: front.toString('base64'),
  backCompressed: back.toString('base64'),
  warnings,
  ...(photoHash === undefined ? {} : { photoHash }),
})

/** Whom a design is shown for before it is saved, where nobody is chosen. */
const invented: FaceFacts = {
  givenName: 'Ada',
  familyName: 'Lovelace',
  userName: 'ada.lovelace',
  emailAddress: 'ada@example.org',
  title: 'Engineer',
  orgOid: 'Depot',
  cardSerial: '1000001',
}

export default serve(
  printing,
  {
    async faced(_input, { tenancy }) {
      const faced = await listFaced(tenancy)
      const inUse = (await cardKinds(tenancy)).filter(({ enabled }) => enabled)
      return { cardTemplates: inUse.map(({ id, name }) => ({ cardTemplateId: id, name, hasFace: faced.has(id) })) }
    },

    async face({ cardTemplateId }, { tenancy, fault }) {
      const { name } = (await cardKinds(tenancy)).find(({ id }) => id === cardTemplateId) ?? fault('missing')
      const face = await findFace(tenancy, cardTemplateId)
      return { ...(face?.design ?? emptyFace), name, version: face?.version ?? 0 }
    },

    async setFace({ cardTemplateId, version, front, back }, { tenancy, emit, fault }) {
      if (!(await cardKinds(tenancy)).some(({ id }) => id === cardTemplateId)) fault('missing')
      if (!(await putFace(tenancy, cardTemplateId, { front, back }, version))) fault('conflict')
      emit('faceChanged', { cardTemplateId }, cardTemplateId)
      return {}
    },

    async preview({ cardTemplateId, userId, front, back }, { house, viewer, fault }) {
      const found = await withTenancy(house, viewer.tenantId, async (tenancy) => {
        if (!(await cardKinds(tenancy)).some(({ id }) => id === cardTemplateId)) fault('unknownTemplate')
        if (userId === undefined) return { facts: invented, photo: undefined }
        if ((await findPeople(tenancy.db, tenancy.tenantId, [userId])).length === 0) fault('unknownPerson')
        return { facts: await factsOf(tenancy, userId, ''), photo: await facePhoto(tenancy, userId, cardTemplateId) }
      })
      return compressed(await drawFaces({ front, back }, found.facts, found.photo))
    },

    async layout({ cardSerial, userId, templateId }, { house, viewer, fault }) {
      if (cardSerial !== undefined && cardSerial !== '') {
        const card = await withTenancy(house, viewer.tenantId, (tenancy) => cardFacts(tenancy, cardSerial))
        if (card === undefined) return fault('missing')
        return compressed(await drawn(house, viewer.tenantId, card, fault))
      }
      if (templateId === undefined) return fault('unknownTemplate')
      return compressed(await drawn(house, viewer.tenantId, { templateId, userId }, fault))
    },

    async layoutOfPerson({ userId, templateId }, { house, viewer, fault }) {
      const { front, back } = await drawn(house, viewer.tenantId, { templateId, userId }, fault)
      return { front_image: front.toString('base64'), back_image: back.toString('base64') }
    },

    async layoutOfData({ userData, templateId }, { house, viewer, fault }) {
      const { extensions: _, ...facts } = userData
      return compressed(
        await drawn(house, viewer.tenantId, { templateId, facts }, (code) => fault(code === 'unknownPerson' ? 'missing' : code)),
      )
    },

    async printers(_input, { house, viewer, fault }) {
      const printers = (await printersOf(house, viewer.userId)) ?? fault('noClient')
      const busy = await withTenancy(house, viewer.tenantId, listBusyPrinters)
      return {
        printers: printers.map(({ name, machine, isCardPrinter, isVirtual }) => ({
          name,
          machine,
          isCardPrinter,
          isVirtual,
          isBusy: busy.has(name),
        })),
      }
    },

    insert: ({ printer }, { house, viewer, request, fault }) =>
      move(house, viewer, { printer, to: 'insert', address: request.address }, fault),

    eject: ({ printer }, { house, viewer, request, fault }) =>
      move(house, viewer, { printer, to: 'eject', address: request.address }, fault),

    async printCard({ printer: name, cardSerial, userId, cardTemplateId, photoHash }, { house, viewer, request, fault, transact }) {
      const printer = await printerOf(house, viewer, name, fault)
      const work = { house, viewer, address: request.address, printer }
      const id = randomUUID()
      const { row, hash } = await transact(async ({ tenancy, emit }) => {
        if (cardTemplateId === undefined || !(await cardKinds(tenancy)).some((kind) => kind.id === cardTemplateId))
          return fault('unknownTemplate')
        if ((await findFace(tenancy, cardTemplateId)) === undefined) fault('noFace')
        if (userId === undefined || (await findPeople(tenancy.db, tenancy.tenantId, [userId])).length === 0) return fault('unknownPerson')
        const photoId = (await photoRequests(tenancy, [userId])).get(photoKey(userId, cardTemplateId)) ?? null
        const card = { id, batch_id: null, n: 0, user_id: userId, card_template_id: cardTemplateId, card_serial: cardSerial }
        await insertPrinted(tenancy, [{ ...card, request_id: null, photo_request_id: photoId }])
        const waiting = (await lockPrinted(tenancy, id)) ?? fault('missing')
        const hindrance = (await hindered(tenancy, [waiting])).get(id)
        if (hindrance !== undefined) fault('notPrinted', { params: { reason: skipLabels[hindrance] } })
        if (photoHash === undefined && (await isOwnPhoto(tenancy, waiting))) fault('photoUnseen')
        const seen = hashOf(await boundPhoto(tenancy, waiting))
        if (photoHash !== undefined && seen !== photoHash.toLowerCase()) fault('photoChanged')
        emit('sent', { printedCardId: id, printer: printer.name, userId }, id)
        return { row: await take(work, tenancy, waiting), hash: seen }
      })
      const { state, says } = await printOne(work, row, hash)
      if (state !== 'printed') fault(state === 'unknown' ? 'printUnknown' : 'notPrinted', { params: { reason: says } })
      return { printedCardId: id }
    },

    async calibrate({ printer: name }, { house, viewer, request, fault, transact }) {
      const printer = await printerOf(house, viewer, name, fault)
      await transact(async ({ emit }) => emit('calibrated', { printer: printer.name }))
      const { state, says } = await printCalibration({ house, viewer, address: request.address, printer })
      if (state !== 'printed') fault(state === 'unknown' ? 'printUnknown' : 'notPrinted', { params: { reason: says } })
      return {}
    },

    async addBatch({ users }, { tenancy, viewer, emit, fault }) {
      const faced = await listFaced(tenancy)
      const says = printing.calls.addBatch.faults
      const kinds = new Map((await cardKinds(tenancy)).map(({ id, name }) => [id, name]))
      const people = new Set(
        (
          await findPeople(
            tenancy.db,
            tenancy.tenantId,
            users.map(({ userId }) => userId),
          )
        ).map(({ id }) => id),
      )
      for (const [at, { userId, cardTemplateId }] of users.entries()) {
        const wrong = (code: keyof typeof says, field: string, params: Record<string, string>): never =>
          fault(code, { params, fields: [{ field: `users.${at}.${field}`, says: fillText(says[code].says, params) }] })
        if (!people.has(userId)) wrong('unknownPerson', 'userId', { id: userId })
        const name = kinds.get(cardTemplateId)
        if (name === undefined) wrong('unknownTemplate', 'cardTemplateId', { id: cardTemplateId })
        else if (!faced.has(cardTemplateId)) wrong('faceless', 'cardTemplateId', { name })
      }
      const batchId = randomUUID()
      await insertBatch(tenancy, batchId, viewer.username)
      const photos = await photoRequests(tenancy, [...people])
      await insertPrinted(
        tenancy,
        users.map(({ userId, cardTemplateId }, n) => ({
          request_id: null,
          photo_request_id: photos.get(photoKey(userId, cardTemplateId)) ?? null,
          id: randomUUID(),
          batch_id: batchId,
          n,
          user_id: userId,
          card_template_id: cardTemplateId,
          card_serial: '',
        })),
      )
      emit('batchAdded', { batchId, cards: users.length }, batchId)
      return { batchId }
    },

    ...requestedHandlers,

    async printBatch({ batch_id: batchId, reader, printOnly }, { house, viewer, request, fault, transact }) {
      if (!printOnly) fault('onlyPrint')
      const printer = await printerOf(house, viewer, reader, fault)
      const waiting = await transact(async ({ tenancy, emit }) => {
        const batch = (await lockBatch(tenancy, batchId)) ?? fault('missing')
        const cards = await listCards(tenancy, [batchId])
        const isAtPrinter = cards.some(({ state }) => state === 'sending' || state === 'printing')
        if (batch.state === 'printing' || isAtPrinter) fault('isPrinting')
        const count = cards.filter(({ state }) => state === 'waiting').length
        if (count === 0) fault('nothing')
        await updateBatch(tenancy, batchId, { state: 'printing', printer: printer.name })
        emit('batchStarted', { batchId, printer: printer.name }, batchId)
        return count
      })
      const work = { house, viewer, address: request.address, printer }
      printBatch(work, batchId).catch((error: unknown) => house.log.error({ error }, 'the printing of a batch broke off'))
      return { waiting }
    },

    async stop({ batchId }, { tenancy, emit, fault }) {
      const batch = (await lockBatch(tenancy, batchId)) ?? fault('missing')
      if (batch.state !== 'printing') return {}
      await updateBatch(tenancy, batchId, { state: 'stopped' })
      emit('batchStopped', { batchId }, batchId)
      return {}
    },

    async skip({ printedCardId: id }, { tenancy, emit, fault }) {
      const card = (await lockPrinted(tenancy, id)) ?? fault('missing')
      if (card.state !== 'waiting') fault('notWaiting')
      await updatePrinted(tenancy, id, { state: 'skipped' })
      emit('skipped', { printedCardId: id }, id)
      return {}
    },

    async reprint({ printedCardId: id, reason }, { tenancy, emit, fault }) {
      const card = (await lockPrinted(tenancy, id)) ?? fault('missing')
      if (!endedStates.includes(card.state) || card.batch_id === null) return fault('notEnded')
      // Whoever lets it be printed again has looked at the photo that there is now; that of a request stays that of the request.
      const photos = card.request_id !== null || card.user_id === null ? undefined : await photoRequests(tenancy, [card.user_id])
      const photo =
        photos === undefined ? {} : { photo_request_id: photos.get(photoKey(card.user_id ?? '', card.card_template_id)) ?? null }
      await updatePrinted(tenancy, id, { state: 'waiting', says: '', job_id: null, skipped_for: null, again_for: reason, ...photo })
      const batch = await lockBatch(tenancy, card.batch_id)
      if (batch?.state === 'done') await updateBatch(tenancy, card.batch_id, { state: 'stopped' })
      emit('reprinted', { printedCardId: id, reason }, id)
      return {}
    },

    async deactivate({ printedCardId: id }, { tenancy, emit, fault }) {
      const card = (await lockPrinted(tenancy, id)) ?? fault('missing')
      if (card.state !== 'printed') fault('notPrinted')
      await updatePrinted(tenancy, id, { state: 'deactivated' })
      emit('deactivated', { printedCardId: id }, id)
      return {}
    },

    async status({ id }, { tenancy, fault }) {
      const batch = (await findBatch(tenancy, id)) ?? fault('missing')
      const cards = await listCards(tenancy, [id])
      return { ...presentBatch(batch, cards), cardList: await presentCards(tenancy, cards) }
    },

    async checkBatch({ batchId }, { house, viewer, fault }) {
      const waiting = await withTenancy(house, viewer.tenantId, async (tenancy) => {
        if ((await findBatch(tenancy, batchId)) === undefined) fault('missing')
        return (await listCards(tenancy, [batchId])).filter(({ state }) => state === 'waiting')
      })
      const warnings: OutputOf<typeof printing.calls.checkBatch>['warnings'] = []
      let cards = 0
      for await (const part of drawnParts({ house, tenantId: viewer.tenantId }, waiting))
        for (const { card, faces } of part.drawn) {
          cards += 1
          for (const warning of new Set(faces.warnings.map((one) => one.warning)))
            warnings.push({ printedCardId: card.id, userName: card.userName, warning })
        }
      return { cards, warnings }
    },

    async printed({ text, ...question }, { tenancy }) {
      const among =
        text.trim() === '' ? undefined : (await searchPeople(tenancy.db, tenancy.tenantId, text, mostPeople)).map(({ id }) => id)
      const { rows, total } = await pageOfPrinted(tenancy, { ...question, among })
      const shown = await presentCards(tenancy, rows)
      return {
        total,
        rows: shown.map((card, n) => {
          const batchId = rows[n]?.batch_id ?? null
          return { ...card, printer: rows[n]?.printer ?? '', ...(batchId === null ? {} : { batchId }) }
        }),
      }
    },

    async bureau(_input, { tenancy }) {
      const row = await findBureau(tenancy)
      return row === undefined ? {} : { bureau: presentBureau(row, tenancy.now) }
    },

    async setBureau({ certificate: text }, { tenancy, viewer, emit }) {
      const { der, certificate } = readBureau(text, tenancy.now)
      await putBureau(tenancy, { certificate: Buffer.from(der), by_name: viewer.username })
      emit('bureauSet', { subject: formatName(certificate.subject) })
      return {}
    },

    async takings(question, { tenancy, fault }) {
      if ((await findBatch(tenancy, question.batchId)) === undefined) fault('missing')
      const { rows, total } = await pageOfTakings(tenancy, question)
      return {
        total,
        rows: rows.map(({ id, file, by_name: by, at, completed_at: completed }) => ({
          id,
          file,
          by,
          at: at.toISOString(),
          isWhole: completed !== null,
        })),
      }
    },

    batches: (question, { tenancy }) => pageOf(tenancy, question),
    mine: (question, { tenancy }) => pageOf(tenancy, question),
  },
  {
    endpoints: { file: { handle: batchFile }, requestedPhoto: { handle: requestedPhoto } },
    jobs: {
      abandoned: {
        inTenancy: ({ house, tenantId }) =>
          house.work(tenantId, { name: 'Card printing' }, async ({ tenancy, emitFor }) => {
            for (const { id, user_id: userId } of await lockAbandoned(tenancy)) {
              await updatePrinted(tenancy, id, { state: 'unknown', says: say`The server stopped meanwhile`, followed_until: null })
              emitFor(printing)('ended', { printedCardId: id, state: 'unknown', ...(userId === null ? {} : { userId }) }, id)
            }
            // Whoever printed them is gone: a person goes on.
            for (const { id } of await listIdle(tenancy, new Date(tenancy.now.getTime() - idleMilliseconds)))
              await updateBatch(tenancy, id, { state: 'stopped' })
          }),
      },
    },
    offers: [offer(cardProgress, stepsOf), offer(personalData, (db, tenantId, userId) => releasePerson({ db, tenantId }, userId))],
  },
)
