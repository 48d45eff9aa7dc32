// The addresses of SCIM: who asks, what is asked, and the journal of it.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { findSecretMaker } from '#areas/applications/service.ts'
import { brokenConstraint } from '#core/server/database.ts'
import { Fault } from '#core/server/fault.ts'
import type { TenantWork } from '#core/server/house.ts'
import type { EndpointAnswer, EndpointHandler, EndpointRequest, Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { JsonError, readJson, usualBounds } from '#standards/json/read.ts'
import { readFilter, ScimFilterError } from '#standards/scim/filter.ts'
import { ScimPatchError, type Resource } from '#standards/scim/patch.ts'
import { mostResults, schemaOf, usualResults } from '../rules.ts'
import { resourceTypes, schemas, serviceConfig } from './described.ts'
import { conditionOf, everything } from './filter-store.ts'
import { countMembers, findGroup, findGroupPage, listMembers } from './group-store.ts'
import { changeGroup, groupTag, HeldBack, presentGroup, tellOfHold } from './groups.ts'
import { missing, uuid, type Asked, type Done, type Scene } from './scene.ts'
import { findLinkPage, findSource, insertRequest, type SourceRecord } from './store.ts'
import { tagOf } from './user-resource.ts'
import { asRecord, changeUser, present, readSubject, subjectsOf } from './users.ts'
import { answer, emptyAnswer, presentFault, refuse } from './wire.ts'

/** A group comes with its members; a person needs little, and is compared value by value. */
const bodyLimits = { Users: 256 * 1024, Groups: 4 * 1024 * 1024 } as const
/** The members that one page of groups tells. The page ends before the group that would go beyond. */
const mostMembersListed = 20_000
const mostKept = 20_000
/** Of a group with twenty-five thousand members, each with its name and its address. */
const mostValues = { Users: usualBounds.values, Groups: 100_000 } as const

function programOf({ viewer }: EndpointRequest): Viewer {
  if (viewer === undefined || viewer.via !== 'token') return refuse('forbidden', 'Send the secret of an application as a bearer token')
  return viewer
}

const notConnected = 'This application is not connected for SCIM. Connect it in the console, below Settings, Sign-in, SCIM'

async function sourceOf(tenancy: Tenancy, viewer: Viewer): Promise<SourceRecord> {
  return (await findSource(tenancy, viewer.userId)) ?? refuse('forbidden', notConnected)
}

type Reading = { tenancy: Tenancy; source: SourceRecord; viewer: Viewer; request: EndpointRequest }

/** An address that reads. */
const reads = (work: (reading: Reading) => Promise<EndpointAnswer>) =>
  ({
    presentFault,
    async handle(request) {
      const viewer = programOf(request)
      return inProtocol(() =>
        withTenancy(request.house, viewer.tenantId, async (tenancy) =>
          work({ tenancy, source: await sourceOf(tenancy, viewer), viewer, request }),
        ),
      )
    },
  }) satisfies EndpointHandler

async function inProtocol<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw faultOfRequest(error)
  }
}

const constraints: Readonly<Record<string, string>> = {
  users_by_email: 'emails: somebody here has this e-mail address',
  scim_users_by_name: 'userName: somebody of this identity provider has it',
  scim_users_by_external_id: 'externalId: somebody of this identity provider has it',
  scim_groups_by_name: 'displayName: a group of this identity provider has it',
}

function faultOfRequest(error: unknown): unknown {
  if (error instanceof ScimFilterError) return new Fault('invalidFilter', { status: 400, says: error.message })
  if (error instanceof ScimPatchError) return new Fault(error.scimType, { status: 400, says: error.message })
  if (error instanceof HeldBack) return new Fault('forbidden', { status: 403, says: error.message })
  const broken = brokenConstraint(error)
  const says = broken === undefined ? undefined : constraints[broken]
  return says === undefined ? error : new Fault('uniqueness', { status: 409, says })
}

/** Does one change in an open transaction. */
export const change = (scene: Scene, asked: Asked): Promise<Done> =>
  asked.kind === 'Users' ? changeUser(scene, asked) : changeGroup(scene, asked)

/** Whether it fails, and as what: for the journal, and for a replay of it. */
export const outcomeOf = (error: unknown): { status: number; effect: string } | undefined => {
  const fault = faultOfRequest(error)
  return fault instanceof Fault ? { status: fault.status, effect: fault.message } : undefined
}

/** An address that changes something: with its entry in the journal, also where it is refused. */
const changes = (kind: Asked['kind']): EndpointHandler => ({
  presentFault,
  bodyLimit: bodyLimits[kind],
  async handle(request) {
    const { house, method, params, raw, facts, url } = request
    const viewer = programOf(request)
    const source = await withTenancy(house, viewer.tenantId, (tenancy) => sourceOf(tenancy, viewer))
    const text = method === 'DELETE' ? '' : Buffer.from(await request.body()).toString('utf8')
    let body: unknown
    const path = url.pathname.replace(/^\/scim\/v2/, '')
    const entry = (tenancy: Tenancy, { status, effect, userId }: Pick<Done, 'status' | 'effect' | 'userId'>) =>
      insertRequest(tenancy, {
        id: randomUUID(),
        source_id: source.id,
        at: tenancy.now,
        method,
        path,
        status,
        effect: effect.slice(0, 500),
        body: withoutPasswords(body).slice(0, mostKept),
        user_id: userId ?? null,
      })
    try {
      body = method === 'DELETE' ? undefined : readBody(text, mostValues[kind])
      const asked: Asked = {
        method: methodOf(method),
        kind,
        id: params['id'] ?? '',
        body,
        ifMatch: raw.headers['if-match'],
        wantsResource: (url.searchParams.get('attributes') ?? '') !== '',
      }
      const done = await house.work(
        viewer.tenantId,
        { userId: viewer.userId, name: viewer.username, address: facts.address },
        async (work: TenantWork) => {
          const madeBy = await findSecretMaker(work.tenancy, viewer.credentialId)
          const done = await change({ house, work, source, viewer, madeBy }, asked)
          await entry(work.tenancy, done)
          return done
        },
      )
      if (done.resource === undefined) return emptyAnswer(done.status, done.etag)
      const { status, etag, location } = done
      return answer(projected(done.resource, url), {
        status,
        ...(etag === undefined ? {} : { etag }),
        ...(location === undefined ? {} : { location }),
      })
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome !== undefined) await withTenancy(house, viewer.tenantId, (tenancy) => entry(tenancy, outcome))
      if (error instanceof HeldBack) await tellOfHold({ house, source }, error.message)
      throw faultOfRequest(error)
    }
  },
})

const methodOf = (method: string): Asked['method'] => (method === 'POST' || method === 'PUT' || method === 'PATCH' ? method : 'DELETE')

function readBody(text: string, values: number): unknown {
  try {
    return readJson(text, { values, onlyText: true })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return refuse('invalidSyntax', error.kind === 'syntax' ? 'The body is no JSON' : error.message)
  }
}

/** Names a password as an attribute, as the end of a path, and behind the URN of a schema. */
const passwordName = /(?:^|[.:])password\W*$/i

/**
 * Okta sends one with each new person; it is not taken over, and not kept either. Each value is written with two characters at least, so that of a long list
 * no more is looked at than is kept.
 */
function withoutPasswords(body: unknown): string {
  let left = mostKept / 2
  const kept = (value: unknown): unknown => {
    left -= 1
    if (Array.isArray(value)) return value.slice(0, Math.max(0, left)).map(kept)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    const secret = entries.some(([name, inner]) => name.toLowerCase() === 'path' && typeof inner === 'string' && passwordName.test(inner))
    return Object.fromEntries(
      entries
        .filter(([name]) => !passwordName.test(name) && !(secret && name.toLowerCase() === 'value'))
        .map(([name, inner]) => [name, kept(inner)]),
    )
  }
  return body === undefined ? '' : JSON.stringify(kept(body))
}

/** `attributes` and `excludedAttributes` (RFC 7644 3.9): names of the first level, or parts of them. */
function projected(resource: Resource, url: URL): Resource {
  const namesIn = (parameter: string) =>
    (url.searchParams.get(parameter) ?? '')
      .split(',')
      .map((name) =>
        name
          .trim()
          .toLowerCase()
          .replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, ''),
      )
      .filter((name) => name !== '')
  const [wanted, left] = [namesIn('attributes'), namesIn('excludedAttributes')]
  const always = new Set(['schemas', 'id'])
  const entries = Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
    const name = key.toLowerCase()
    if (always.has(name)) return [[key, value]]
    if (left.includes(name)) return []
    if (wanted.length === 0 || wanted.includes(name)) return [[key, value]]
    const parts = wanted.flatMap((one) => (one.startsWith(`${name}.`) || one.startsWith(`${name}:`) ? [one.slice(name.length + 1)] : []))
    return parts.length === 0 ? [] : [[key, partsOf(value, parts)]]
  })
  return Object.fromEntries(entries)
}

const partsOf = (value: unknown, parts: readonly string[]): unknown =>
  Array.isArray(value)
    ? value.map((one) => partsOf(one, parts))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([name]) => parts.includes(name.toLowerCase())))
      : value

const leavesOut = (url: URL, name: string): boolean => {
  const listed = (parameter: string) =>
    (url.searchParams.get(parameter) ?? '')
      .toLowerCase()
      .split(',')
      .map((one) => one.trim())
  const wanted = listed('attributes').filter((one) => one !== '')
  return (
    listed('excludedAttributes').includes(name) || (wanted.length > 0 && !wanted.some((one) => one === name || one.startsWith(`${name}.`)))
  )
}

const numberAt = (url: URL, name: string, usual: number): number => {
  const text = url.searchParams.get(name)
  if (text === null || text === '') return usual
  return /^-?\d{1,9}$/.test(text) ? Number(text) : refuse('invalidValue', `${name} is no number`)
}

/** Which part of a list is asked for: from 1, and a number that is not negative. */
const partOf = (url: URL) => ({
  startIndex: Math.max(1, numberAt(url, 'startIndex', 1)),
  count: Math.min(mostResults, Math.max(0, numberAt(url, 'count', usualResults))),
})

const conditionIn = (url: URL, tenantId: string, kind: 'user' | 'group') => {
  const filter = url.searchParams.get('filter') ?? ''
  return filter.trim() === '' ? everything : conditionOf(tenantId, kind, readFilter(filter))
}

const listed = (total: number, startIndex: number, resources: readonly Resource[]) =>
  answer({ schemas: [schemaOf.list], totalResults: total, startIndex, itemsPerPage: resources.length, Resources: resources })

function sameOr(request: EndpointRequest, etag: string, resource: Resource): EndpointAnswer {
  const known = String(request.raw.headers['if-none-match'] ?? '')
  return known !== '' && known.split(',').some((one) => one.trim() === etag || one.trim() === '*')
    ? emptyAnswer(304, etag)
    : answer(projected(resource, request.url), { etag })
}

/** An address that says what this server can. A client of devices is connected to nothing, so that any program may ask. */
const describes = (of: (origin: string, id: string | undefined) => EndpointAnswer): EndpointHandler => ({
  presentFault,
  async handle(request) {
    programOf(request)
    return of(request.house.settings.origin, request.params['id'])
  },
})

const described = (of: (origin: string) => readonly Resource[]): EndpointHandler =>
  describes((origin, id) => {
    const all = of(origin)
    if (id === undefined) return listed(all.length, 1, all)
    const one = all.find((resource) => resource['id'] === id)
    return one === undefined ? missing() : answer(one)
  })

type Part = { startIndex: number; count: number }
type Found = { total: number; resources: Resource[] }

async function findUsers({ tenancy, source, viewer, request: { house } }: Reading, url: URL, { startIndex, count }: Part): Promise<Found> {
  const where = conditionIn(url, tenancy.tenantId, 'user')
  const { rows, total } = await findLinkPage(tenancy, source.id, where, { offset: startIndex - 1, limit: count })
  const subjects = await subjectsOf(tenancy, source.id, rows)
  return { total, resources: subjects.map((subject) => projected(present(viewer, house.settings.origin, subject), url)) }
}

async function findGroups({ tenancy, source, request: { house } }: Reading, url: URL, { startIndex, count }: Part): Promise<Found> {
  const where = conditionIn(url, tenancy.tenantId, 'group')
  const { rows, total } = await findGroupPage(tenancy, source.id, where, { offset: startIndex - 1, limit: count })
  const without = leavesOut(url, 'members')
  const sizes = without
    ? new Map<string, number>()
    : await countMembers(
        tenancy,
        rows.map(({ id }) => id),
      )
  const resources: Resource[] = []
  let told = 0
  for (const group of rows) {
    told += sizes.get(group.id) ?? 0
    // The next page begins behind the last that was told (RFC 7644 3.4.2.4).
    if (told > mostMembersListed && resources.length > 0) break
    resources.push(projected(presentGroup(house.settings.origin, group, without ? undefined : await listMembers(tenancy, group.id)), url))
  }
  return { total, resources }
}

/** People, then groups (RFC 7644 3.4.2.1). A filter that only one of them knows finds none of the other. */
async function findAll(reading: Reading, url: URL, { startIndex, count }: Part): Promise<Found> {
  const nothing: Found = { total: 0, resources: [] }
  let isRefused = false
  const known = async (work: Promise<Found>): Promise<Found> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'invalidFilter' || isRefused) throw error
      isRefused = true
      return nothing
    }
  }
  const people = await known(findUsers(reading, url, { startIndex, count }))
  const rest = { startIndex: Math.max(1, startIndex - people.total), count: count - people.resources.length }
  const groups = await known(findGroups(reading, url, rest))
  return { total: people.total + groups.total, resources: [...people.resources, ...groups.resources] }
}

type Find = typeof findUsers

async function page(find: Find, reading: Reading, url: URL): Promise<EndpointAnswer> {
  const part = partOf(url)
  const { total, resources } = await find(reading, url, part)
  return listed(total, part.startIndex, resources)
}

/** A search by POST (RFC 7644 3.4.3): its body says what an address would. */
const searches = (find: Find): EndpointHandler => ({
  presentFault,
  bodyLimit: 64 * 1024,
  async handle(request) {
    // Read first: a body that comes slowly holds no connection to the database.
    const text = Buffer.from(await request.body()).toString('utf8')
    return reads((reading) => page(find, reading, searchedIn(request.url, text))).handle(request)
  },
})

const Names = z.array(z.string().max(200)).max(100)
const Search = z.object({
  filter: z.string().max(10_000).optional(),
  attributes: Names.optional(),
  excludedAttributes: Names.optional(),
  startIndex: z.int().optional(),
  count: z.int().optional(),
})

function searchedIn(url: URL, text: string): URL {
  const read = Search.safeParse(asRecord(readBody(text, mostValues.Users)))
  if (!read.success) {
    const [issue] = read.error.issues
    return refuse('invalidValue', `${String(issue?.path[0] ?? 'The body')}: this is not what a search says here`)
  }
  const asked = new URL(url.pathname, url)
  for (const [name, value] of Object.entries(read.data)) asked.searchParams.set(name, String(value))
  return asked
}

export const endpoints = {
  config: describes((origin) => answer(serviceConfig(origin))),
  resourceTypes: described(resourceTypes),
  schemas: described(schemas),

  listUsers: reads((reading) => page(findUsers, reading, reading.request.url)),
  searchUsers: searches(findUsers),
  readUser: reads(async ({ tenancy, source, viewer, request }) => {
    const subject = await readSubject(tenancy, source.id, request.params['id'] ?? '')
    const resource = present(viewer, request.house.settings.origin, subject)
    return sameOr(request, tagOf(resource), resource)
  }),
  addUser: changes('Users'),
  replaceUser: changes('Users'),
  patchUser: changes('Users'),
  removeUser: changes('Users'),

  listGroups: reads((reading) => page(findGroups, reading, reading.request.url)),
  searchGroups: searches(findGroups),
  searchAll: searches(findAll),
  readGroup: reads(async ({ tenancy, source, request }) => {
    const id = request.params['id'] ?? ''
    const group = (uuid.test(id) ? await findGroup(tenancy, source.id, id) : undefined) ?? missing()
    const members = leavesOut(request.url, 'members') ? undefined : await listMembers(tenancy, group.id)
    return sameOr(request, groupTag(group), presentGroup(request.house.settings.origin, group, members))
  }),
  addGroup: changes('Groups'),
  replaceGroup: changes('Groups'),
  patchGroup: changes('Groups'),
  removeGroup: changes('Groups'),

  nowhere: { presentFault, handle: async () => missing() },
} satisfies Record<string, EndpointHandler>
