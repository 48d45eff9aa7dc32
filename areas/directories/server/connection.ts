// The way to a directory: always encrypted, always signed in, no referral followed, with an end in time and in bytes.

import {
  AndFilter,
  Client,
  EqualityFilter,
  FilterParser,
  GreaterThanEqualsFilter,
  OrFilter,
  SubstringFilter,
  type Entry,
  type Filter,
} from 'ldapts'
import type { Socket } from 'node:net'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { guidBytes, guidOf, plainDn, saysDisabled, sidOf } from '../rules.ts'
import type { TrialStep } from '../trial-steps.ts'
import { askForTls } from './start-tls.ts'
import type { DirectoryRecord } from './store.ts'

const answerMilliseconds = 10_000
/** So long all of a reading may take, however good the time is in which each page comes. A job is given up a little later. */
export const readingMilliseconds = 720_000
const pageSize = 500
/** Of all answers of one connection: a hundred thousand people with what is asked of them are a tenth of it. */
const mostBytes = 512 * 1024 * 1024

/** Why a directory could not be read, in a sentence for whoever asked. */
export class DirectoryError extends Error {
  override name = 'DirectoryError'
}

export const passwordPurpose = (id: string): string => `directories.password:${id}`

/** Where a directory is, who asks, and by what its certificate is trusted. */
export type Way = Pick<DirectoryRecord, 'tenant_id' | 'host' | 'port' | 'security' | 'roots' | 'bind_dn'>

export const passwordOf = (
  house: House,
  { tenant_id: tenantId, id, password_sealed: sealed, tenant_key_id: tenantKeyId }: DirectoryRecord,
): Promise<Buffer> =>
  withTenancy(house, tenantId, ({ db }) => unsealForTenant(db, house, { tenantId, purpose: passwordPurpose(id), sealed, tenantKeyId }))

/** Signs in, works, and signs out. Throws `DirectoryError` for whatever the directory or the way to it does wrong. */
export async function withDirectory<T>(house: House, directory: DirectoryRecord, work: (client: Client) => Promise<T>): Promise<T> {
  const password = await passwordOf(house, directory)
  return withSignIn(house, directory, password.toString('utf8'), work)
}

/** `signal` ends it before its time; `reached` hears how far it came. */
type Watch = { signal?: AbortSignal; reached?: (step: TrialStep) => void }

/** The same by a password that is at hand. */
export async function withSignIn<T>(
  house: House,
  way: Way,
  password: string,
  work: (client: Client) => Promise<T>,
  { signal, reached = () => {} }: Watch = {},
): Promise<T> {
  let client: Client | undefined
  let socket: Socket | undefined
  const end = () => socket?.destroy(new Error('Timed out'))
  const deadline = setTimeout(end, readingMilliseconds)
  signal?.addEventListener('abort', end, { once: true })
  try {
    socket = await openSocket(house, way, { signal, reached })
    const opened = countBytes(socket)
    client = new Client({
      url: 'ldap://directory',
      timeout: answerMilliseconds,
      connectTimeout: answerMilliseconds,
      strictDN: false,
      // The socket is there, and encrypted; where it ends, no other takes its place.
      createConnection: () => {
        if (opened.destroyed) throw new Error('The connection ended')
        return opened
      },
    })
    await client.bind(way.bind_dn, password)
    reached('signIn')
    return await work(client)
  } catch (error) {
    throw error instanceof DirectoryError ? error : new DirectoryError(sayOf(error), { cause: error })
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', end)
    await client?.unbind().catch(() => {})
    socket?.destroy()
  }
}

async function openSocket(
  house: House,
  { tenant_id: tenantId, host, port, security, roots }: Way,
  { signal, reached }: { signal: AbortSignal | undefined; reached: (step: TrialStep) => void },
): Promise<Socket> {
  const trust = roots.trim() === '' ? ('public' as const) : { roots: [roots] }
  const target = { tenantId, use: 'directory', host, port, ...(signal === undefined ? {} : { signal }) } as const
  const socket = await house.outward.connect(target)
  reached('connect')
  if (security === 'startTls') await askForTls(socket, answerMilliseconds)
  const encrypted = await house.outward.secure({ use: 'directory', host, socket, tls: { trust } })
  reached('encrypt')
  return encrypted
}

function countBytes(socket: Socket): Socket {
  let bytes = 0
  socket.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > mostBytes) socket.destroy(new Error('The directory sent more than 512 MB'))
  })
  return socket
}

/** Names of errors that people know, by the code of LDAP. */
const sentences: Readonly<Record<number, string>> = {
  1: 'The directory cannot do this now',
  7: 'The directory does not take a password',
  8: 'The directory wants another way to sign in',
  13: 'The directory wants encryption',
  16: 'The account has no such attribute',
  17: 'The directory does not know an attribute, such as that of a lock: it may lack a password policy',
  19: 'The directory refused a value',
  20: 'The value is there already',
  21: 'A value is not written as the directory wants it',
  32: 'There is nothing under this base',
  34: 'A distinguished name is not well written',
  48: 'The directory does not take a password for this account',
  49: 'The directory refused the account or its password',
  50: 'The account may not do this there',
  51: 'The directory is busy',
  52: 'The directory is not available',
  53: 'The directory is not willing to do this',
  65: 'The change does not fit the schema of the directory',
  66: 'Other entries stand below this one',
  67: 'The name of the entry is changed by a move alone',
  68: 'There is an entry of this name already',
}

function sayOf(error: unknown): string {
  if (error instanceof OutwardError) return error.message
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number')
    return sentences[error.code] ?? `The directory answered with code ${error.code}`
  return error instanceof Error && /timed? ?out/i.test(error.message)
    ? 'The directory did not answer in time'
    : 'The connection to the directory ended'
}

export type Read = {
  guid: string
  dn: string
  disabled: boolean
  /** Of Windows: the number of the group that everybody has one of, and that does not list its people. */
  primaryGroup?: number
  /** By the names of our attributes; empty ones are not there. */
  values: Record<string, string>
}

const binary = ['objectGUID', 'objectSid']
const always = ['entryUUID', 'objectGUID', 'objectSid', 'userAccountControl', 'primaryGroupID', 'pwdAccountLockedTime', 'nsAccountLock']
/** Longer than any name or address; a value that is longer is none of ours. */
const mostValue = 1_000

const first = (value: Entry[string] | undefined): Buffer | string | undefined => (Array.isArray(value) ? value[0] : value)

function textOf(entry: Entry, name: string): string {
  const wanted = name.toLowerCase()
  const found = Object.keys(entry).find((key) => key.toLowerCase() === wanted)
  const value = found === undefined ? undefined : first(entry[found])
  const text = (Buffer.isBuffer(value) ? value.toString('utf8') : (value ?? '')).trim()
  // oxlint-disable-next-line no-control-regex
  return text.length > mostValue ? '' : text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
}

export function readEntry(entry: Entry, { mapping }: Pick<DirectoryRecord, 'mapping'>): Read | undefined {
  const objectGuid = first(entry['objectGUID'])
  const guid = Buffer.isBuffer(objectGuid) && objectGuid.length === 16 ? guidOf(objectGuid) : textOf(entry, 'entryUUID')
  if (guid === '') return undefined
  const values: Record<string, string> = { distinguishedName: entry.dn }
  for (const [name, attribute] of Object.entries(mapping)) {
    const text = attribute === undefined || attribute === '' ? '' : textOf(entry, attribute)
    if (text !== '') values[name] = text
  }
  const sid = first(entry['objectSid'])
  const identifier = Buffer.isBuffer(sid) ? sidOf(sid) : undefined
  if (identifier !== undefined) values['securityIdentifier'] = identifier
  const primaryGroup = Number(textOf(entry, 'primaryGroupID'))
  return {
    guid,
    dn: entry.dn,
    ...(primaryGroup > 0 ? { primaryGroup } : {}),
    disabled: saysDisabled({
      userAccountControl: textOf(entry, 'userAccountControl'),
      pwdAccountLockedTime: textOf(entry, 'pwdAccountLockedTime'),
      nsAccountLock: textOf(entry, 'nsAccountLock'),
    }),
    values,
  }
}

const asked = ({ mapping }: Pick<DirectoryRecord, 'mapping'>): string[] => [
  ...new Set([...always, ...Object.values(mapping).flatMap((name) => (name === undefined || name === '' ? [] : [name]))]),
]

/** Everybody whom the filter finds, page by page; with a mark only those who were changed after it. */
export const readPeople = (client: Client, directory: DirectoryRecord, after?: string): Promise<Read[]> =>
  readFiltered(client, directory, after === undefined ? directory.filter : changedAfter(directory.filter, after))

/** As many as a filter names at once, so that no controller finds it too long. */
const idsAtOnce = 100

/** Those of these ids whom the filter finds. */
export async function readPeopleOf(client: Client, directory: DirectoryRecord, guids: readonly string[]): Promise<Read[]> {
  const people: Read[] = []
  for (let at = 0; at < guids.length; at += idsAtOnce) {
    const some = guids.slice(at, at + idsAtOnce).map((guid) => new EqualityFilter({ attribute: 'objectGUID', value: guidBytes(guid) }))
    const filter = new AndFilter({ filters: [FilterParser.parseString(directory.filter), new OrFilter({ filters: some })] })
    people.push(...(await readFiltered(client, directory, filter)))
  }
  return people
}

async function readFiltered(client: Client, directory: DirectoryRecord, filter: string | Filter): Promise<Read[]> {
  const people: Read[] = []
  const pages = client.searchPaginated(directory.base_dn, {
    scope: 'sub',
    filter,
    attributes: asked(directory),
    explicitBufferAttributes: binary,
    paged: { pageSize },
  })
  for await (const { searchEntries } of pages)
    for (const entry of searchEntries) {
      const read = readEntry(entry, directory)
      if (read !== undefined) people.push(read)
    }
  return people
}

const changedAfter = (filter: string, mark: string): Filter =>
  new AndFilter({
    filters: [FilterParser.parseString(filter), new GreaterThanEqualsFilter({ attribute: 'uSNChanged', value: String(BigInt(mark) + 1n) })],
  })

/** The ids alone of everybody whom the filter finds: who is not among them any more is gone, was moved out of the base, or is no person now. */
export async function readIds(client: Client, directory: DirectoryRecord): Promise<string[]> {
  const ids: string[] = []
  const pages = client.searchPaginated(directory.base_dn, {
    scope: 'sub',
    filter: directory.filter,
    attributes: ['objectGUID'],
    explicitBufferAttributes: binary,
    paged: { pageSize: 1_000 },
  })
  for await (const { searchEntries } of pages)
    for (const { objectGUID } of searchEntries) {
      const bytes = first(objectGUID)
      if (Buffer.isBuffer(bytes) && bytes.length === 16) ids.push(guidOf(bytes))
    }
  return ids
}

/**
 * How far a domain controller has counted its changes, and whose count it is: another controller, and one that was restored, count anew. Undefined where it does not say.
 * `root` is the name of the domain.
 */
export async function readMark(client: Client): Promise<{ counter: string; changes: string; root: string } | undefined> {
  const { searchEntries } = await client.search('', {
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: ['highestCommittedUSN', 'dsServiceName', 'defaultNamingContext'],
  })
  const said = searchEntries[0]
  if (said === undefined) return undefined
  const [changes, service, root] = ['highestCommittedUSN', 'dsServiceName', 'defaultNamingContext'].map((name) => textOf(said, name))
  if (changes === undefined || service === undefined || root === undefined || !/^\d+$/.test(changes) || service === '') return undefined
  const { searchEntries: services } = await client.search(service, {
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: ['invocationId'],
    explicitBufferAttributes: ['invocationId'],
  })
  const counter = first(services[0]?.['invocationId'])
  return Buffer.isBuffer(counter) && counter.length === 16 ? { counter: guidOf(counter), changes, root } : undefined
}

/** Whether there is an entry of this name that the account may see. Throws where there is none. */
export async function needEntry(client: Client, dn: string): Promise<void> {
  const { searchEntries } = await client.search(dn, { scope: 'base', filter: '(objectClass=*)', attributes: ['objectClass'] })
  if (searchEntries.length === 0) throw new DirectoryError(sentences[32])
}

/** A few of them, whose name begins with a text: built from values, so that no text is part of a filter. */
export async function findFew(client: Client, directory: DirectoryRecord, text: string, most: number): Promise<Entry[]> {
  const byFilter = directory.filter
  const { searchEntries } = await client.search(directory.base_dn, {
    scope: 'sub',
    filter: text === '' ? byFilter : narrowed(directory, text),
    attributes: [...asked(directory), 'tempCsn', 'tempCsnExpiry'],
    explicitBufferAttributes: binary,
    sizeLimit: most,
    paged: { pageSize: most },
  })
  return searchEntries.slice(0, most)
}

function narrowed({ mapping, kind }: DirectoryRecord, text: string): Filter {
  const person = new EqualityFilter({ attribute: 'objectClass', value: kind === 'ldap' ? 'inetOrgPerson' : 'user' })
  return new AndFilter({ filters: [person, new SubstringFilter({ attribute: mapping.displayName ?? 'cn', initial: text })] })
}

type Groups = Map<string, string[]>

/** The groups below the base, each with the names of its members. */
export async function readGroups(client: Client, { base_dn }: Pick<DirectoryRecord, 'base_dn'>): Promise<Groups> {
  const groups: Groups = new Map()
  const pages = client.searchPaginated(base_dn, {
    scope: 'sub',
    filter: '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=group))',
    attributes: ['member', 'uniqueMember'],
    paged: { pageSize },
  })
  for await (const { searchEntries } of pages)
    for (const entry of searchEntries) {
      const members = ['member', 'uniqueMember'].flatMap((name) => textsOf(entry[name]))
      groups.set(plainDn(entry.dn), members)
    }
  return groups
}

const textsOf = (value: Entry[string] | undefined): string[] => (value === undefined ? [] : [value].flat().map(String))

/** As many members as Active Directory gives at once. It is asked in parts from the start, so that every controller answers alike. */
const membersAtOnce = 1_500

/**
 * The groups of a whole domain, for groups stand where their people do not. `byNumber` finds one by the last part of its identifier: people name
 * their primary group so, and it does not list them.
 */
export async function readDomainGroups(client: Client, root: string): Promise<{ groups: Groups; byNumber: Map<number, string> }> {
  const groups: Groups = new Map()
  const byNumber = new Map<number, string>()
  const pages = client.searchPaginated(root, {
    scope: 'sub',
    filter: '(objectClass=group)',
    attributes: [`member;range=0-${membersAtOnce - 1}`, 'objectSid'],
    explicitBufferAttributes: binary,
    paged: { pageSize },
  })
  const unfinished: { dn: string; members: string[] }[] = []
  for await (const { searchEntries } of pages)
    for (const entry of searchEntries) {
      const { members, more } = readRange(entry)
      groups.set(plainDn(entry.dn), members)
      if (more) unfinished.push({ dn: entry.dn, members })
      const sid = first(entry['objectSid'])
      const number = Buffer.isBuffer(sid) ? Number(sidOf(sid)?.split('-').at(-1)) : Number.NaN
      if (Number.isInteger(number)) byNumber.set(number, plainDn(entry.dn))
    }
  for (const { dn, members } of unfinished)
    for (let more = true; more;) {
      const attribute = `member;range=${members.length}-${members.length + membersAtOnce - 1}`
      const { searchEntries } = await client.search(dn, { scope: 'base', filter: '(objectClass=*)', attributes: [attribute] })
      const [entry] = searchEntries
      if (entry === undefined) throw new DirectoryError('A group went away while it was read')
      const part = readRange(entry)
      members.push(...part.members)
      more = part.more
    }
  return { groups, byNumber }
}

/** Members as the directory names them in parts: `member;range=0-1499`, and the last part ends with a star. What was asked for and is not there is an empty list. */
function readRange(entry: Entry): { members: string[]; more: boolean } {
  const parts = Object.keys(entry).filter((key) => /^member;range=\d+-(?:\d+|\*)$/i.test(key) && textsOf(entry[key]).length > 0)
  const name = parts[0]
  if (name !== undefined) return { members: textsOf(entry[name]), more: !name.endsWith('*') }
  return { members: textsOf(entry['member']), more: false }
}
