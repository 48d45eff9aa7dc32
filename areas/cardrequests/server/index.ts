import { randomUUID } from 'node:crypto'
import { smartcards } from '#areas/smartcards/contract.ts'
import { cardKindOf, cardKinds, holdersOfKind } from '#areas/smartcards/holders.ts'
import {
  emailKey,
  findByEmail,
  findOwnUsernames,
  findPeople,
  fullName,
  searchPeople,
  selectPeople,
  type Person,
} from '#areas/users/service.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { Id } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { commonFault } from '#core/server/fault.ts'
import { cleanImage, type CleanImage } from '#core/server/images/images.ts'
import { on, serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { cardrequests } from '../contract.ts'
import { cardProgress } from '../progress.ts'
import { mostNamed, mostPeople, photoFault, type CardStep, type Obstacle, type PhotoFault } from '../rules.ts'
import { openRequestOf, photoAnswer, presentRequests } from './presenter.ts'
import {
  deleteOfPerson,
  deletePhotos,
  endRequests,
  findOpenOf,
  findOpenRequests,
  findPhoto,
  insertPhoto,
  insertRequests,
  listOfPerson,
  listWithPhoto,
  openAmong,
  pageOfRequests,
} from './store.ts'

const atATime = 500
const mostOwn = 50
/** A photo of 25 by 33 mm at 300 dots an inch, twice over. */
const photoEdge = 800
type Selection = Pick<
  InputOf<typeof cardrequests.calls.request>,
  'selectAll' | 'inclusionList' | 'exclusionList' | 'bulkInclusionList' | 'options'
>
type Refused = { userId?: string; name: string; reason: Obstacle }

/** The people who are meant, each once, and the names and ids that mean nobody. */
async function chosen(tenancy: Tenancy, selection: Selection): Promise<{ people: Person[]; unknown: Refused[] }> {
  const { db, tenantId } = tenancy
  const { selectAll, inclusionList, exclusionList, bulkInclusionList, options } = selection
  const people = new Map<string, Person>()
  const unknown: Refused[] = []
  if (selectAll) for (const person of await selectPeople(db, tenantId, options.query, mostPeople + 1)) people.set(person.id, person)
  else
    for (let at = 0; at < inclusionList.length; at += atATime) {
      const ids = inclusionList.slice(at, at + atATime)
      const found = new Map((await findPeople(db, tenantId, ids)).map((person) => [person.id, person]))
      for (const id of ids) {
        const person = found.get(id)
        if (person === undefined) unknown.push({ name: id, reason: 'unknown' })
        else people.set(id, person)
      }
    }
  const names = [...new Set(bulkInclusionList)]
  for (let at = 0; at < names.length; at += atATime) {
    const some = names.slice(at, at + atATime)
    const addresses = some.filter((name) => name.includes('@')).map(emailKey)
    const byAddress = Map.groupBy(addresses.length === 0 ? [] : await findByEmail(db, tenantId, addresses), ({ emailAddress }) =>
      emailKey(emailAddress),
    )
    const ids = await findOwnUsernames(db, tenantId, some)
    const byId = new Map((await findPeople(db, tenantId, [...ids.values()])).map((person) => [person.id, person]))
    for (const name of some) {
      const addressed = byAddress.get(emailKey(name)) ?? []
      const person = addressed.length > 0 ? addressed[0] : byId.get(ids.get(name.toLowerCase()) ?? '')
      if (person === undefined || addressed.length > 1) unknown.push({ name, reason: 'unknown' })
      else people.set(person.id, person)
    }
  }
  // Last, so that nobody who is left out comes in again by a pasted name.
  for (const id of exclusionList) people.delete(id)
  return { people: [...people.values()], unknown }
}

/** Who of them can get a request for the template, and who cannot, and why. */
async function judged(tenancy: Tenancy, people: readonly Person[], cardTemplateId: string): Promise<{ can: Person[]; cannot: Refused[] }> {
  const can: Person[] = []
  const cannot: Refused[] = []
  for (let at = 0; at < people.length; at += atATime) {
    const some = people.slice(at, at + atATime)
    const ids = some.map(({ id }) => id)
    const open = await openAmong(tenancy, cardTemplateId, ids)
    const holders = await holdersOfKind(tenancy, cardTemplateId, ids)
    for (const person of some) {
      const reason = !person.enabled ? 'disabled' : open.has(person.id) ? 'requested' : holders.has(person.id) ? 'hasCard' : undefined
      if (reason === undefined) can.push(person)
      else cannot.push({ userId: person.id, name: fullName(person), reason })
    }
  }
  return { can, cannot }
}

async function withdrawAll(tenancy: Tenancy, ids: readonly string[], tell: (requestId: string, userId: string) => void): Promise<number> {
  const ended = await endRequests(tenancy, ids, 'withdrawn')
  await deletePhotos(
    tenancy,
    ended.map(({ id }) => id),
  )
  for (const { id, user_id: userId } of ended) tell(id, userId)
  return ended.length
}

/** Decoded and written anew in a process of its own, and of the form of a face on a card. */
async function photoToKeep(
  photo: string,
  tenantId: string,
  fault: (code: PhotoFault, detail: { params: Record<string, string> }) => never,
): Promise<CleanImage> {
  const cleaned = await cleanImage(photo, { tenantId, field: 'photo', edge: photoEdge, isPhotograph: true })
  const wrong = photoFault(cleaned)
  if (wrong !== undefined) fault(wrong, { params: { width: String(cleaned.width), height: String(cleaned.height) } })
  return cleaned
}

export default serve(
  cardrequests,
  {
    async request(selection, { tenancy, viewer, emit, fault }) {
      const { cardTemplateId, dueDate, deliverTo, dryRun } = selection.options
      if (!(await cardKinds(tenancy)).some(({ id, enabled }) => id === cardTemplateId && enabled)) fault('unknownTemplate')
      const dueAt = dueDate === undefined ? null : new Date(dueDate)
      if (dueAt !== null && dueAt.getTime() < tenancy.now.getTime() - 86_400_000) fault('dueBefore')
      const { people, unknown } = await chosen(tenancy, selection)
      if (people.length > mostPeople) fault('tooMany')
      if (people.length === 0 && unknown.length === 0) fault('nobody')
      const { can, cannot } = await judged(tenancy, people, cardTemplateId)
      let requested = can.length
      if (!dryRun) {
        requested = 0
        for (let at = 0; at < can.length; at += atATime) {
          const rows = can.slice(at, at + atATime).map(({ id }) => ({
            id: randomUUID(),
            user_id: id,
            card_template_id: cardTemplateId,
            due_at: dueAt,
            deliver_to: deliverTo,
            by_name: viewer.username,
          }))
          const inserted = await insertRequests(tenancy, rows)
          requested += inserted.length
          for (const { id, user_id: userId } of inserted) emit('requested', { requestId: id, userId, cardTemplateId }, id)
          const isIn = new Set(inserted.map(({ user_id: id }) => id))
          for (const person of can.slice(at, at + atATime))
            if (!isIn.has(person.id)) cannot.push({ userId: person.id, name: fullName(person), reason: 'requested' })
        }
      }
      const refused = [...unknown, ...cannot]
      return { dryRun, requested, refused: refused.length, cannot: refused.slice(0, mostNamed) }
    },

    async templates(_input, { tenancy }) {
      const kinds = (await cardKinds(tenancy)).filter(({ enabled }) => enabled)
      return { cardTemplates: kinds.map(({ id, name }) => ({ cardTemplateId: id, name })) }
    },

    async ownTemplates(_input, { tenancy, viewer }) {
      const people = await findPeople(tenancy.db, tenancy.tenantId, [viewer.userId])
      const kinds = (await cardKinds(tenancy)).filter(({ enabled }) => enabled)
      const cardTemplates: OutputOf<typeof cardrequests.calls.ownTemplates>['cardTemplates'] = []
      for (const { id, name } of kinds) {
        const reason = (await judged(tenancy, people, id)).cannot[0]?.reason
        const obstacle = reason === 'requested' || reason === 'hasCard' ? { obstacle: reason } : {}
        cardTemplates.push({ cardTemplateId: id, name, ...obstacle })
      }
      return { cardTemplates }
    },

    async requestOwn({ cardTemplateId, photo }, { viewer, fault, transact }) {
      const cleaned = photo === undefined ? undefined : await photoToKeep(photo, viewer.tenantId, fault)
      return transact(async ({ tenancy, emit }) => {
        if (!(await cardKinds(tenancy)).some(({ id, enabled }) => id === cardTemplateId && enabled)) fault('unknownTemplate')
        const people = await findPeople(tenancy.db, tenancy.tenantId, [viewer.userId])
        if ((await judged(tenancy, people, cardTemplateId)).cannot[0]?.reason === 'hasCard') fault('hasCard')
        const own = { user_id: viewer.userId, card_template_id: cardTemplateId, due_at: null, deliver_to: '', by_name: viewer.username }
        const [inserted] = await insertRequests(tenancy, [{ id: randomUUID(), ...own }])
        if (inserted === undefined) return fault('requested')
        if (cleaned !== undefined)
          await insertPhoto(tenancy, { request_id: inserted.id, type: cleaned.type, bytes: Buffer.from(cleaned.bytes) })
        emit('requested', { requestId: inserted.id, userId: viewer.userId, cardTemplateId }, inserted.id)
        return { requestId: inserted.id }
      })
    },

    async checkPhoto({ photo }, { viewer, fault }) {
      const { type, width, height, bytes } = await photoToKeep(photo, viewer.tenantId, fault)
      return { photo: `data:${type};base64,${Buffer.from(bytes).toString('base64')}`, width, height }
    },

    async own(_input, { tenancy, viewer, house }) {
      const rows = await listOfPerson(tenancy, viewer.userId, mostOwn)
      const kinds = new Map((await cardKinds(tenancy)).map(({ id, name }) => [id, name]))
      const withPhoto = await listWithPhoto(
        tenancy,
        rows.map(({ id }) => id),
      )
      const open = rows.filter(({ state }) => state === 'open').map(openRequestOf)
      const steps = new Map<string, CardStep>()
      for (const tell of house.offers(cardProgress)) for (const [id, step] of await tell(tenancy, open)) steps.set(id, step)
      return {
        requests: rows.map((row) => ({
          id: row.id,
          cardTemplateName: kinds.get(row.card_template_id) ?? '',
          step:
            row.state === 'open'
              ? (steps.get(row.id) ?? ('requested' as const))
              : row.state === 'fulfilled'
                ? ('issued' as const)
                : ('withdrawn' as const),
          deliverTo: row.deliver_to,
          ...(row.due_at === null ? {} : { dueDate: row.due_at.toISOString() }),
          madeAt: row.made_at.toISOString(),
          hasPhoto: withPhoto.has(row.id),
        })),
      }
    },

    async withdrawOwn({ id }, { tenancy, viewer, emit, fault }) {
      const [request] = (await findOpenRequests(tenancy, [id])).filter(({ user_id: userId }) => userId === viewer.userId)
      if (request === undefined) fault('missing')
      await withdrawAll(tenancy, [id], (requestId, userId) => emit('withdrawn', { requestId, userId }, requestId))
      return {}
    },

    async search({ text, ...question }, { db, tenancy, viewer }) {
      const among = text.trim() === '' ? undefined : (await searchPeople(db, viewer.tenantId, text, atATime)).map(({ id }) => id)
      const { rows, total } = await pageOfRequests(tenancy, { ...question, among })
      return { rows: await presentRequests(tenancy, rows), total }
    },

    async withdraw({ ids }, { tenancy, emit }) {
      return { withdrawn: await withdrawAll(tenancy, ids, (requestId, userId) => emit('withdrawn', { requestId, userId }, requestId)) }
    },
  },
  {
    endpoints: {
      photo: {
        async handle({ viewer, url, house }) {
          if (viewer === undefined) throw commonFault('not_logged_in')
          const id = Id.safeParse(url.searchParams.get('id'))
          const photo = id.success ? await withTenancy(house, viewer.tenantId, (tenancy) => findPhoto(tenancy, id.data)) : undefined
          if (photo === undefined) throw commonFault('missing')
          return photoAnswer(photo)
        },
      },
    },
    subscriptions: [
      on(smartcards.events.issued, ({ tenantId, body: { cardId, userId } }, house) =>
        house.work(tenantId, { name: 'Card requests' }, async ({ tenancy, emitFor }) => {
          const kind = await cardKindOf(tenancy, cardId)
          const open = kind === undefined ? undefined : await findOpenOf(tenancy, userId, kind)
          if (open === undefined) return
          for (const { id } of await endRequests(tenancy, [open.id], 'fulfilled'))
            emitFor(cardrequests)('fulfilled', { requestId: id, userId }, id)
        }),
      ),
    ],
    offers: [offer(personalData, (db, tenantId, userId) => deleteOfPerson({ db, tenantId }, userId))],
  },
)
