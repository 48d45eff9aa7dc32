// Requested cards on their way into a batch.

import { randomUUID } from 'node:crypto'
import type { CardProgress } from '#areas/cardrequests/progress.ts'
import type { CardStep } from '#areas/cardrequests/rules.ts'
import { openAmongRequests, openRequests, photoAnswer, photoOfRequest, withPhoto, type OpenRequest } from '#areas/cardrequests/service.ts'
import { cardKinds } from '#areas/smartcards/holders.ts'
import { Id } from '#core/contract/shapes.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointAnswer, EndpointRequest, Handlers } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import type { printing } from '../contract.ts'
import { mostCards, type PrintState } from '../rules.ts'
import { holdRequests, insertBatch, insertPrinted, listFaced, listPrintedOf, type PrintedRecord } from './store.ts'

const pageSize = 100
/** A card in such a state does not stand in the way of another one. */
const again: readonly PrintState[] = ['skipped', 'deactivated']
const underWay: readonly PrintState[] = ['waiting', 'sending', 'printing']

/** Whether a card of the person is the one that was requested: put into a batch for the request, or by name since the request or not printed yet. */
const isOf = (request: OpenRequest, row: PrintedRecord): boolean =>
  row.request_id === null
    ? row.card_template_id === request.cardTemplateId && (underWay.includes(row.state) || row.changed_at >= request.madeAt)
    : row.request_id === request.id

/** How far the card of each request is; nothing of those whose cards are in no batch. */
async function statesOf(tenancy: Tenancy, requests: readonly OpenRequest[]): Promise<Map<string, PrintState>> {
  const rows = Map.groupBy(await listPrintedOf(tenancy, [...new Set(requests.map(({ userId }) => userId))]), ({ user_id: id }) => id)
  return new Map(
    requests.flatMap((request): [string, PrintState][] => {
      const own = rows.get(request.userId)?.filter((one) => isOf(request, one)) ?? []
      const row = own.find(({ state }) => !again.includes(state)) ?? own[0]
      return row === undefined ? [] : [[request.id, row.state]]
    }),
  )
}

/** Stops reading when there are more than a batch holds. */
async function chosen(
  tenancy: Tenancy,
  { selectAll, inclusionList, exclusionList, text }: { selectAll: boolean; inclusionList: string[]; exclusionList: string[]; text: string },
): Promise<OpenRequest[]> {
  if (!selectAll) return openAmongRequests(tenancy, inclusionList)
  const without = new Set(exclusionList)
  const found: OpenRequest[] = []
  for (let page = 1; ; page += 1) {
    const { rows } = await openRequests(tenancy, { text, page, size: pageSize })
    for (const row of rows) if (!without.has(row.id)) found.push(askedOf(row))
    if (rows.length < pageSize || found.length > mostCards * 4) return found
  }
}

const askedOf = ({ id, person, cardTemplateId, madeAt }: Awaited<ReturnType<typeof openRequests>>['rows'][number]): OpenRequest => ({
  id,
  userId: person.id,
  cardTemplateId,
  madeAt: new Date(madeAt),
})

export const requestedHandlers: Pick<Handlers<typeof printing>, 'requested' | 'addBatchOfRequests'> = {
  async requested(question, { tenancy }) {
    const { rows, total } = await openRequests(tenancy, question)
    const states = await statesOf(tenancy, rows.map(askedOf))
    return {
      total,
      rows: rows.map(({ id, person, cardTemplateName, deliverTo, dueDate, madeAt, hasPhoto }) => {
        const printState = states.get(id)
        return {
          id,
          userId: person.id,
          name: person.name,
          username: person.username,
          cardTemplateName,
          deliverTo,
          madeAt,
          hasPhoto,
          ...(dueDate === undefined ? {} : { dueDate }),
          ...(printState === undefined ? {} : { printState }),
        }
      }),
    }
  },

  async addBatchOfRequests(selection, { tenancy, viewer, emit, fault }) {
    await holdRequests(tenancy)
    const asked = await chosen(tenancy, selection)
    const states = await statesOf(tenancy, asked)
    const cards = asked.filter(({ id }) => {
      const state = states.get(id)
      return state === undefined || again.includes(state)
    })
    if (cards.length === 0) fault('noneLeft')
    if (cards.length > mostCards) fault('tooManyCards')
    const faced = await listFaced(tenancy)
    const faceless = cards.find(({ cardTemplateId }) => !faced.has(cardTemplateId))
    if (faceless !== undefined) {
      const kind = (await cardKinds(tenancy)).find(({ id }) => id === faceless.cardTemplateId)
      fault('faceless', { params: { name: kind?.name ?? '' } })
    }
    const batchId = randomUUID()
    await insertBatch(tenancy, batchId, viewer.username)
    const photos = await withPhoto(
      tenancy,
      cards.map(({ id }) => id),
    )
    await insertPrinted(
      tenancy,
      cards.map(({ id, userId, cardTemplateId }, n) => ({
        id: randomUUID(),
        request_id: id,
        photo_request_id: photos.has(id) ? id : null,
        batch_id: batchId,
        n,
        user_id: userId,
        card_template_id: cardTemplateId,
        card_serial: '',
      })),
    )
    emit('batchAdded', { batchId, cards: cards.length }, batchId)
    return { batchId, cards: cards.length, left: asked.length - cards.length }
  },
}

/** How far requested cards are, as far as they are printed here. */
export const stepsOf: CardProgress = async (tenancy, requests) =>
  new Map(
    [...(await statesOf(tenancy, requests))].flatMap(([id, state]): [string, CardStep][] =>
      again.includes(state) ? [] : [[id, state === 'printed' ? 'ready' : 'atPrinter']],
    ),
  )

/** The photo that came with an open request, for whoever puts its card into a batch. */
export async function requestedPhoto({ viewer, url, house }: EndpointRequest): Promise<EndpointAnswer> {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const id = Id.safeParse(url.searchParams.get('id'))
  const photo = id.success
    ? await withTenancy(house, viewer.tenantId, async (tenancy) => {
        const [request] = await openAmongRequests(tenancy, [id.data])
        return request === undefined ? undefined : photoOfRequest(tenancy, request.id)
      })
    : undefined
  if (photo === undefined) throw commonFault('missing')
  return photoAnswer(photo)
}
