// Requested cards on their way into a batch.

import { randomUUID } from 'node:crypto'
import type { CardProgress } from '#areas/cardrequests/progress.ts'
import type { CardStep } from '#areas/cardrequests/rules.ts'
import { openAmongRequests, openRequests, type OpenRequest } from '#areas/cardrequests/service.ts'
import { cardKinds } from '#areas/smartcards/holders.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { printing } from '../contract.ts'
import { mostCards, type PrintState } from '../rules.ts'
import { holdRequests, insertBatch, insertPrinted, lastPrinted, listFaced } from './store.ts'

const pageSize = 100
const keyOf = (userId: string | null, cardTemplateId: string) => `${userId} ${cardTemplateId}`
/** A card in such a state does not stand in the way of another one. */
const again: readonly PrintState[] = ['skipped', 'deactivated']

async function statesOf(tenancy: Tenancy, userIds: readonly string[]): Promise<Map<string, PrintState>> {
  const rows = await lastPrinted(tenancy, [...new Set(userIds)])
  return new Map(rows.map((row) => [keyOf(row.user_id, row.card_template_id), row.state]))
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
    for (const { id, person, cardTemplateId } of rows) if (!without.has(id)) found.push({ id, userId: person.id, cardTemplateId })
    if (rows.length < pageSize || found.length > mostCards * 4) return found
  }
}

export const requestedHandlers: Pick<Handlers<typeof printing>, 'requested' | 'addBatchOfRequests'> = {
  async requested(question, { tenancy }) {
    const { rows, total } = await openRequests(tenancy, question)
    const states = await statesOf(
      tenancy,
      rows.map(({ person }) => person.id),
    )
    return {
      total,
      rows: rows.map(({ id, person, cardTemplateId, cardTemplateName, deliverTo, dueDate, madeAt }) => {
        const printState = states.get(keyOf(person.id, cardTemplateId))
        return {
          id,
          userId: person.id,
          name: person.name,
          username: person.username,
          cardTemplateName,
          deliverTo,
          madeAt,
          ...(dueDate === undefined ? {} : { dueDate }),
          ...(printState === undefined ? {} : { printState }),
        }
      }),
    }
  },

  async addBatchOfRequests(selection, { tenancy, viewer, emit, fault }) {
    await holdRequests(tenancy)
    const asked = await chosen(tenancy, selection)
    const states = await statesOf(
      tenancy,
      asked.map(({ userId }) => userId),
    )
    const cards = asked.filter(({ userId, cardTemplateId }) => {
      const state = states.get(keyOf(userId, cardTemplateId))
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
    await insertPrinted(
      tenancy,
      cards.map(({ userId, cardTemplateId }, n) => ({
        id: randomUUID(),
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

/** How far the cards of a person are, as far as they are printed here. */
export const stepsOf: CardProgress = async (tenancy, userId, cardTemplateIds) => {
  const states = await statesOf(tenancy, [userId])
  return new Map(
    cardTemplateIds.flatMap((id): [string, CardStep][] => {
      const state = states.get(keyOf(userId, id))
      if (state === 'printed') return [[id, 'ready']]
      return state === undefined || again.includes(state) ? [] : [[id, 'atPrinter']]
    }),
  )
}
