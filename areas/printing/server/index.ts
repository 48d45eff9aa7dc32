import { randomUUID } from 'node:crypto'
import { cardKinds } from '#areas/smartcards/holders.ts'
import { moveCard, PrinterFault, printersOf, type Printer } from '#areas/smartcards/printers.ts'
import { findCardBySerial } from '#areas/smartcards/service.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import { Id } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { serve, type EndpointRequest, type Viewer } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { FaceDesign, printing } from '../contract.ts'
import { endedStates, type FaceFacts } from '../rules.ts'
import { factsOf, printBatch, printOne, take } from './engine.ts'
import { drawFaces, pagesOf, type Faces } from './faces.ts'
import { requestedHandlers } from './requested.ts'
import {
  findBatch,
  findFace,
  insertBatch,
  insertPrinted,
  listCards,
  listFaced,
  listIdle,
  lockAbandoned,
  lockBatch,
  lockPrinted,
  pageOfBatches,
  putFace,
  releasePerson,
  updateBatch,
  updatePrinted,
  type BatchRecord,
  type PrintedRecord,
} from './store.ts'

const idleMilliseconds = 120_000
const emptyFace = FaceDesign.parse({ front: {}, back: {} })

const presentBatch = (row: BatchRecord, cards: readonly PrintedRecord[]) => ({
  id: row.id,
  state: row.state,
  printer: row.printer,
  by: row.by_name,
  madeAt: row.made_at.toISOString(),
  cards: cards.length,
  printed: cards.filter(({ state }) => state === 'printed' || state === 'deactivated').length,
  troubled: cards.filter(({ state }) => state === 'failed' || state === 'unknown').length,
})

async function presentCards(tenancy: Tenancy, rows: readonly PrintedRecord[]) {
  const ids = [...new Set(rows.flatMap(({ user_id: id }) => id ?? []))]
  const people = new Map((await findPeople(tenancy.db, tenancy.tenantId, ids)).map((person) => [person.id, person]))
  const kinds = new Map((await cardKinds(tenancy)).map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    const person = people.get(row.user_id ?? '')
    return {
      id: row.id,
      state: row.state,
      ...(row.user_id === null ? {} : { userId: row.user_id }),
      userName: person === undefined ? '' : fullName(person),
      cardTemplateName: kinds.get(row.card_template_id) ?? '',
      says: row.says,
      ...(row.job_id === null ? {} : { jobId: row.job_id }),
      attempt: row.attempt,
      changedAt: row.changed_at.toISOString(),
    }
  })
}

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

async function printerOf(house: House, viewer: Viewer, name: string, fault: FaultOf<'noClient' | 'noPrinter'>): Promise<Printer> {
  const printers = (await printersOf(house, viewer.userId)) ?? fault('noClient')
  return printers.find((one) => one.name === name) ?? fault('noPrinter')
}

async function move(
  house: House,
  viewer: Viewer,
  { printer, to, address }: { printer: string; to: 'insert' | 'eject'; address: string },
  fault: FaultOf<'noClient' | 'noPrinter' | 'printerRefused'>,
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
    return { design: face.design, facts: facts ?? (await factsOf(tenancy, userId ?? null, '')) }
  })
  return drawFaces(found.design, found.facts)
}

const compressed = ({ front, back }: Faces) => ({ frontCompressed: front.toString('base64'), backCompressed: back.toString('base64') })

async function batchFile({ viewer, house, url, facts }: EndpointRequest) {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId } = viewer
  const id = Id.safeParse(url.searchParams.get('id'))
  const file = url.searchParams.get('file') === 'faces' ? 'faces' : 'list'
  const found = id.success
    ? await withTenancy(house, tenantId, async (tenancy) => {
        const batch = await findBatch(tenancy, id.data)
        if (batch === undefined) return undefined
        const cards = await listCards(tenancy, [batch.id])
        const people = new Map(
          (
            await findPeople(
              tenancy.db,
              tenantId,
              cards.flatMap(({ user_id: userId }) => userId ?? []),
            )
          ).map((person) => [person.id, person]),
        )
        const shown = await presentCards(tenancy, cards)
        const designs = new Map(
          await Promise.all(
            [...new Set(cards.map((card) => card.card_template_id))].map(
              async (templateId) => [templateId, (await findFace(tenancy, templateId))?.design] as const,
            ),
          ),
        )
        const faces = await Promise.all(
          cards.map(async (card) => ({
            design: designs.get(card.card_template_id) ?? emptyFace,
            facts: await factsOf(tenancy, card.user_id, card.card_serial),
          })),
        )
        return { batch, shown, people, faces }
      })
    : undefined
  if (found === undefined) throw commonFault('missing')
  const { batch, shown, people, faces } = found
  const told = () =>
    house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
      emitFor(printing)('fileTaken', { batchId: batch.id, file }, batch.id),
    )
  if (file === 'faces') {
    const pages: Faces[] = []
    for (const { design, facts: of } of faces) pages.push(await drawFaces(design, of))
    await told()
    return {
      headers: { 'content-type': 'application/pdf', 'content-disposition': `attachment; filename="batch-${batch.id.slice(0, 8)}.pdf"` },
      body: pagesOf(pages),
    }
  }
  let isTaken = false
  return exportAnswer({
    name: 'batch',
    of: batch.id.slice(0, 8),
    columns: {
      Name: (row) => row.userName,
      Username: (row) => people.get(row.userId ?? '')?.username,
      Template: (row) => row.cardTemplateName,
      State: (row) => row.state,
      Trouble: (row) => row.says,
    },
    read: async () => {
      const rows = isTaken ? [] : shown
      isTaken = true
      return rows
    },
    ended: async () => void (await told()),
  })
}

export default serve(
  printing,
  {
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
      return { printers: printers.map(({ name, machine, isCardPrinter, isVirtual }) => ({ name, machine, isCardPrinter, isVirtual })) }
    },

    insert: ({ printer }, { house, viewer, request, fault }) =>
      move(house, viewer, { printer, to: 'insert', address: request.address }, fault),

    eject: ({ printer }, { house, viewer, request, fault }) =>
      move(house, viewer, { printer, to: 'eject', address: request.address }, fault),

    async printCard({ printer: name, cardSerial, userId, cardTemplateId }, { house, viewer, request, fault, transact }) {
      const printer = await printerOf(house, viewer, name, fault)
      const work = { house, viewer, address: request.address, printer }
      const id = randomUUID()
      const row = await transact(async ({ tenancy, emit }) => {
        if (cardTemplateId === undefined || !(await cardKinds(tenancy)).some((kind) => kind.id === cardTemplateId))
          return fault('unknownTemplate')
        if ((await findFace(tenancy, cardTemplateId)) === undefined) fault('noFace')
        if (userId === undefined || (await findPeople(tenancy.db, tenancy.tenantId, [userId])).length === 0) return fault('unknownPerson')
        await insertPrinted(tenancy, [
          { id, batch_id: null, n: 0, user_id: userId, card_template_id: cardTemplateId, card_serial: cardSerial },
        ])
        const waiting = (await lockPrinted(tenancy, id)) ?? fault('missing')
        emit('sent', { printedCardId: id, printer: printer.name, userId }, id)
        return take(work, tenancy, waiting)
      })
      const { state, says } = await printOne(work, row)
      if (state !== 'printed') fault(state === 'unknown' ? 'printUnknown' : 'notPrinted', { params: { reason: says } })
      return { printedCardId: id }
    },

    async addBatch({ users }, { tenancy, viewer, emit, fault }) {
      const faced = await listFaced(tenancy)
      const kinds = new Set((await cardKinds(tenancy)).map(({ id }) => id))
      const people = new Set(
        (
          await findPeople(
            tenancy.db,
            tenancy.tenantId,
            users.map(({ userId }) => userId),
          )
        ).map(({ id }) => id),
      )
      for (const { userId, cardTemplateId } of users) {
        if (!people.has(userId)) fault('unknownPerson', { params: { id: userId } })
        if (!faced.has(cardTemplateId) || !kinds.has(cardTemplateId)) fault('unknownTemplate', { params: { id: cardTemplateId } })
      }
      const batchId = randomUUID()
      await insertBatch(tenancy, batchId, viewer.username)
      await insertPrinted(
        tenancy,
        users.map(({ userId, cardTemplateId }, n) => ({
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
      await updatePrinted(tenancy, id, { state: 'waiting', says: '', job_id: null })
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

    batches: (question, { tenancy }) => pageOf(tenancy, question),
    mine: (question, { tenancy }) => pageOf(tenancy, question),
  },
  {
    endpoints: { file: { handle: batchFile } },
    jobs: {
      abandoned: {
        inTenancy: ({ house, tenantId }) =>
          house.work(tenantId, { name: 'Card printing' }, async ({ tenancy, emitFor }) => {
            for (const { id, user_id: userId } of await lockAbandoned(tenancy)) {
              await updatePrinted(tenancy, id, { state: 'unknown', says: 'The server stopped meanwhile', followed_until: null })
              emitFor(printing)('ended', { printedCardId: id, state: 'unknown', ...(userId === null ? {} : { userId }) }, id)
            }
            // Whoever printed them is gone: a person goes on.
            for (const { id } of await listIdle(tenancy, new Date(tenancy.now.getTime() - idleMilliseconds)))
              await updateBatch(tenancy, id, { state: 'stopped' })
          }),
      },
    },
    offers: [offer(personalData, (db, tenantId, userId) => releasePerson({ db, tenantId }, userId))],
  },
)
