import { randomUUID } from 'node:crypto'
import { findOrganisation, findOrganisations } from '#areas/organisations/service.ts'
import { findPeople, findPerson, fullName, holdPerson, searchPeople } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { sponsors } from '../contract.ts'
import { dependantKind, stateOf } from '../rules.ts'
import {
  countPeople,
  deletePerson,
  deleteRow,
  findOfPerson,
  findPage,
  findRow,
  findRows,
  findSponsorOf,
  insertPerson,
  insertRow,
  listPeople,
  lockRows,
  updatePeople,
  updateRow,
  type SponsorRecord,
} from './store.ts'

/** A text finds at most so many people among whom the sponsors are sought. */
const mostNamed = 500

export default serve(
  sponsors,
  {
    async search({ text, ...question }, { db, tenancy, viewer }) {
      const among = text.trim() === '' ? undefined : (await searchPeople(db, viewer.tenantId, text, mostNamed)).map(({ id }) => id)
      const { rows, total } = await findPage(tenancy, { ...question, among })
      return { rows: await presentRows(tenancy, rows), total }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findRow(tenancy, id)) ?? fault('missing')
      const [shown] = await presentRows(tenancy, [row])
      return { ...(shown ?? fault('missing')), note: row.note, version: row.version }
    },

    async add({ userId, ...terms }, { db, tenancy, viewer, emit, fault }) {
      if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('unknownPerson')
      const columns = await columnsOf(tenancy, terms, fault)
      const id = randomUUID()
      await insertRow(tenancy, { id, user_id: userId, ...columns })
      emit('added', { sponsorId: id, userId }, id)
      return { id }
    },

    async change({ id, version, ...terms }, { tenancy, emit, fault }) {
      const [row = fault('missing')] = await lockRows(tenancy, [id])
      if (version !== undefined && version !== row.version) fault('conflict')
      const columns = await columnsOf(tenancy, terms, fault)
      const people = (await countPeople(tenancy, [id])).get(id) ?? 0
      if (people > columns.most) fault('tooFew', { params: { people } })
      await updateRow(tenancy, id, columns)
      emit('changed', { sponsorId: id, userId: row.user_id }, id)
      return {}
    },

    async remove({ id }, { tenancy, emit, fault }) {
      const [row = fault('missing')] = await lockRows(tenancy, [id])
      const people = (await countPeople(tenancy, [id])).get(id) ?? 0
      if (people > 0) fault('dependants', { params: { people } })
      await deleteRow(tenancy, id)
      emit('deleted', { sponsorId: id, userId: row.user_id }, id)
      return {}
    },

    async people({ id, ...page }, { db, tenancy, viewer, fault }) {
      if ((await findRow(tenancy, id)) === undefined) fault('missing')
      const rows = await listPeople(tenancy, id, page)
      const people = new Map(
        (
          await findPeople(
            db,
            viewer.tenantId,
            rows.map(({ user_id }) => user_id),
          )
        ).map((person) => [person.id, person]),
      )
      return {
        rows: rows.flatMap(({ user_id, since }) => {
          const person = people.get(user_id)
          return person === undefined
            ? []
            : [{ id: user_id, name: fullName(person), username: person.username, since: since.toISOString() }]
        }),
        total: (await countPeople(tenancy, [id])).get(id) ?? 0,
      }
    },

    async ofPerson({ userId }, { db, tenancy, viewer, fault }) {
      if ((await findPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
      const id = await findSponsorOf(tenancy, userId)
      const row = id === undefined ? undefined : await findRow(tenancy, id)
      const person = row && (await findPerson(db, viewer.tenantId, row.user_id))
      return row === undefined || person === undefined ? {} : { sponsor: { id: row.id, name: fullName(person) } }
    },

    async setOfPerson({ userId, sponsorId }, { db, tenancy, viewer, emit, now, fault }) {
      if ((await holdPerson(db, viewer.tenantId, userId)) === undefined) fault('missing')
      if (sponsorId === undefined) {
        if ((await findSponsorOf(tenancy, userId)) === undefined) return {}
        await deletePerson(tenancy, userId)
        emit('sponsored', { userId }, userId)
        return {}
      }
      const [row = fault('unknownSponsor')] = await lockRows(tenancy, [sponsorId])
      if (row.user_id === userId) fault('oneself')
      if (!isActive(row, now)) fault('ended')
      if ((await findSponsorOf(tenancy, userId)) === sponsorId) return {}
      const people = (await countPeople(tenancy, [sponsorId])).get(sponsorId) ?? 0
      if (people >= row.most) fault('full', { params: { most: row.most } })
      await insertPerson(tenancy, userId, sponsorId)
      emit('sponsored', { userId, sponsorId }, userId)
      return {}
    },

    async handOver({ id, toId }, { tenancy, emit, now, fault }) {
      const held = await lockRows(tenancy, [id, toId])
      if (!held.some((one) => one.id === id)) fault('missing')
      const target = held.find((one) => one.id === toId) ?? fault('unknownSponsor')
      if (id === toId) return { people: 0 }
      if (!isActive(target, now)) fault('ended')
      if ((await findSponsorOf(tenancy, target.user_id)) === id) fault('oneself')
      const counts = await countPeople(tenancy, [id, toId])
      const people = counts.get(id) ?? 0
      if (people + (counts.get(toId) ?? 0) > target.most) fault('full', { params: { most: target.most } })
      await updatePeople(tenancy, id, toId)
      if (people > 0) emit('handedOver', { sponsorId: id, toId, people }, id)
      return { people }
    },
  },
  {
    offers: [
      offer(dependants, {
        record: 'user',
        async count(db, tenantId, userId) {
          const row = await findOfPerson({ db, tenantId }, userId)
          const count = row === undefined ? 0 : ((await countPeople({ db, tenantId }, [row.id])).get(row.id) ?? 0)
          return row === undefined ? [] : [{ kind: dependantKind, count, path: pathOf(row.id) }]
        },
      }),
      offer(personalData, async (db, tenantId, userId) => {
        await deletePerson({ db, tenantId }, userId)
        const row = await findOfPerson({ db, tenantId }, userId)
        if (row !== undefined) await deleteRow({ db, tenantId }, row.id)
      }),
    ],
    records: {
      sponsor: {
        names: async (tenancy, ids) =>
          (await presentRows(tenancy, await findRows(tenancy, ids))).map(({ id, person }) => ({ id, name: person.name, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await findNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await findNamed(tenancy, text, most)).map(({ id, person, organisation }) => ({
            id,
            label: person.name,
            detail: organisation?.name ?? '',
            path: pathOf(id),
          })),
      },
    },
  },
)

const pathOf = (id: string): string => to(sponsors.screens.edit, { id })

const isActive = ({ begins, until }: SponsorRecord, now: Date): boolean =>
  stateOf({ from: begins, until: until ?? undefined }, now) === 'active'

type Terms = {
  organisationId?: string | undefined
  from: string
  until?: string | undefined
  most: number
  passTypes: string[]
  note: string
}

async function columnsOf(
  tenancy: Tenancy,
  { organisationId, from, until, most, passTypes, note }: Terms,
  fault: (code: 'unknownOrganisation' | 'endsBefore') => never,
) {
  if (organisationId !== undefined && (await findOrganisation(tenancy, organisationId)) === undefined) fault('unknownOrganisation')
  if (until !== undefined && new Date(until) <= new Date(from)) fault('endsBefore')
  return {
    organisation_id: organisationId ?? null,
    begins: new Date(from),
    until: until === undefined ? null : new Date(until),
    most,
    pass_types: [...new Set(passTypes)],
    note,
  }
}

async function findNamed(tenancy: Tenancy, text: string, most: number) {
  const among = (await searchPeople(tenancy.db, tenancy.tenantId, text, mostNamed)).map(({ id }) => id)
  return presentRows(tenancy, (await findPage(tenancy, { page: 1, size: most, direction: 'asc', among })).rows)
}

async function presentRows(tenancy: Tenancy, rows: readonly SponsorRecord[]) {
  const people = new Map(
    (
      await findPeople(
        tenancy.db,
        tenancy.tenantId,
        rows.map(({ user_id }) => user_id),
      )
    ).map((person) => [person.id, fullName(person)]),
  )
  const ids = rows.flatMap(({ organisation_id }) => (organisation_id === null ? [] : [organisation_id]))
  const organisations = new Map((await findOrganisations(tenancy, ids)).map((one) => [one.id, one]))
  const counts = await countPeople(
    tenancy,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const organisation = organisations.get(row.organisation_id ?? '')
    return {
      id: row.id,
      person: { id: row.user_id, name: people.get(row.user_id) ?? '' },
      ...(organisation === undefined ? {} : { organisation }),
      from: row.begins.toISOString(),
      ...(row.until === null ? {} : { until: row.until.toISOString() }),
      state: stateOf({ from: row.begins, until: row.until ?? undefined }, tenancy.now),
      most: row.most,
      people: counts.get(row.id) ?? 0,
      passTypes: row.pass_types,
    }
  })
}
