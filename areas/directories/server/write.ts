// One change of one account in a directory: drawn up from what stands there and here, and made only where drawing it up again gives the same.

import { Attribute, Change, EqualityFilter, type Client, type Entry } from 'ldapts'
import { randomBytes } from 'node:crypto'
import { presentPerson } from '#areas/users/presenter.ts'
import type { Person } from '#areas/users/service.ts'
import { fullName } from '#areas/users/service.ts'
import { isBelow, nameInDn, parentOf, rdnOf } from '../rules.ts'
import type { WriteAction } from '../write-texts.ts'
import type { DirectoryRecord } from './store.ts'
import type { WriteChange } from './write-store.ts'

export type Subject = {
  person: Person
  kept: Readonly<Record<string, string>>
  /** The directory's own id of the account; undefined where the person has none there. */
  guid: string | undefined
  /** Those of our attributes that whoever asks may read. */
  readable: ReadonlySet<string>
}
/** What will be done, in full. */
export type Drawn = { dn: string; changes: WriteChange[]; perform(client: Client): Promise<void> }
export type Refusal = 'gone' | 'linked' | 'notLinked' | 'nothing' | 'outside' | 'exists' | 'noGroup' | 'already' | 'notThere'
export type Wanted = { action: WriteAction; target: string }

const binary = ['objectGUID']
const valuesOf = (entry: Entry, name: string): string[] => {
  const key = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase())
  const value = key === undefined ? [] : (entry[key] ?? [])
  return (Array.isArray(value) ? value : [value]).map(String).filter((one) => one !== '')
}

async function findAccount(client: Client, directory: DirectoryRecord, guid: string): Promise<Entry | undefined> {
  const isActive = directory.kind === 'activeDirectory'
  const { searchEntries } = await client.search(isActive ? `<GUID=${guid}>` : directory.base_dn, {
    scope: isActive ? 'base' : 'sub',
    filter: isActive ? '(objectClass=*)' : new EqualityFilter({ attribute: 'entryUUID', value: guid }),
    attributes: ['*', 'entryUUID', 'pwdAccountLockedTime'],
    explicitBufferAttributes: binary,
    sizeLimit: 2,
  })
  return searchEntries.length === 1 ? searchEntries[0] : undefined
}

/** The entry of a name; undefined where there is none. */
async function findNamed(client: Client, dn: string): Promise<Entry | undefined> {
  try {
    return (await client.search(dn, { scope: 'base', attributes: ['*', 'entryUUID', 'objectGUID'], explicitBufferAttributes: binary }))
      .searchEntries[0]
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 32) return undefined
    throw error
  }
}

/** What our attributes say, by the names that the directory has for them. What is empty here is left as it is there. */
export function wantedValues({ mapping }: Pick<DirectoryRecord, 'mapping'>, { person, kept, readable }: Subject): Map<string, string> {
  const here = { ...presentPerson(person), ...kept }
  return new Map(
    Object.entries(mapping).flatMap(([name, attribute]) => {
      const value = here[name] ?? ''
      const isName = name === 'username' || name === 'uid'
      return attribute === undefined || attribute === '' || value === '' || isName || !readable.has(name) ? [] : [[attribute, value]]
    }),
  )
}

const replace = (type: string, values: string[]): Change =>
  new Change({ operation: 'replace', modification: new Attribute({ type, values }) })

export async function draw(
  client: Client,
  directory: DirectoryRecord,
  subject: Subject,
  { action, target }: Wanted,
): Promise<Drawn | Refusal> {
  if (action === 'create') return drawCreate(client, directory, subject)
  if (subject.guid === undefined) return 'notLinked'
  const entry = await findAccount(client, directory, subject.guid)
  if (entry === undefined) return 'gone'
  const { dn } = entry
  switch (action) {
    case 'update':
      return drawUpdate(directory, subject, entry)
    case 'enable':
    case 'disable':
      return drawEnabled(directory, entry, action === 'enable')
    case 'move': {
      if (!isBelow(target, directory.base_dn)) return 'outside'
      const after = `${rdnOf(dn)},${target}`
      if (isBelow(target, dn) || parentOf(dn).toLowerCase() === target.toLowerCase()) return 'already'
      return {
        dn,
        changes: [{ name: 'distinguishedName', before: dn, after }],
        perform: (with_) => with_.modifyDN(dn, after),
      }
    }
    case 'join':
    case 'leave':
      return drawMember(client, directory, entry, target, action === 'join')
    case 'delete':
      return { dn, changes: [{ name: 'distinguishedName', before: dn, after: '' }], perform: (with_) => with_.del(dn) }
  }
}

async function drawCreate(client: Client, directory: DirectoryRecord, subject: Subject): Promise<Drawn | Refusal> {
  const { person, guid, kept } = subject
  if (guid !== undefined) return 'linked'
  const isActive = directory.kind === 'activeDirectory'
  const name = (kept['uid'] ?? person.username.replace(/@.*$/, '')).slice(0, isActive ? 20 : 64)
  const naming = directory.mapping.username ?? (isActive ? 'sAMAccountName' : 'uid')
  const common = fullName(person).slice(0, 64)
  const rdn = isActive ? `CN=${nameInDn(common)}` : `${naming}=${nameInDn(name)}`
  const dn = `${rdn},${directory.people_base === '' ? directory.base_dn : directory.people_base}`
  if ((await findNamed(client, dn)) !== undefined) return 'exists'
  const { searchEntries } = await client.search(directory.base_dn, {
    scope: 'sub',
    filter: new EqualityFilter({ attribute: naming, value: name }),
    attributes: [naming],
    sizeLimit: 1,
    paged: { pageSize: 1 },
  })
  if (searchEntries.length > 0) return 'exists'
  const attributes = new Map<string, string[]>([
    ['objectClass', ['top', 'person', 'organizationalPerson', ...(isActive ? ['user'] : ['inetOrgPerson'])]],
    ['cn', [common]],
    ['sn', [person.familyName]],
    [naming, [name]],
    ...[...wantedValues(directory, subject)].map(([attribute, value]): [string, string[]] => [attribute, [value]]),
    ...(isActive ? [['userAccountControl', ['514']] as [string, string[]]] : []),
  ])
  return {
    dn,
    changes: [...attributes].map(([attribute, values]) => ({ name: attribute, before: '', after: values.join(', ') })),
    async perform(with_) {
      const all = [...attributes].map(([type, values]) => new Attribute({ type, values }))
      // Active Directory enables no account without a password. Nobody knows this one.
      if (isActive)
        all.push(new Attribute({ type: 'unicodePwd', values: [Buffer.from(`"Aa1!${randomBytes(24).toString('base64url')}"`, 'utf16le')] }))
      await with_.add(dn, all)
    },
  }
}

function drawUpdate(directory: DirectoryRecord, subject: Subject, entry: Entry): Drawn | Refusal {
  const naming = rdnOf(entry.dn).replace(/=.*$/s, '').toLowerCase()
  const different = [...wantedValues(directory, subject)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, after]) => {
      const there = valuesOf(entry, name)
      // What names the entry is changed by a move alone.
      return name.toLowerCase() === naming || there[0] === after ? [] : [{ name, after, there }]
    })
  if (different.length === 0) return 'nothing'
  return {
    dn: entry.dn,
    changes: different.map(({ name, after, there }) => ({ name, before: there[0] ?? '', after })),
    perform: (with_) =>
      with_.modify(
        entry.dn,
        // Further values of an attribute stay.
        different.map(({ name, after, there }) => replace(name, [after, ...there.slice(1).filter((one) => one !== after)])),
      ),
  }
}

const lockedForGood = '000001010000Z'
const disabledBit = 2

function drawEnabled({ kind }: DirectoryRecord, entry: Entry, enable: boolean): Drawn | Refusal {
  const name = kind === 'activeDirectory' ? 'userAccountControl' : 'pwdAccountLockedTime'
  const before = valuesOf(entry, name)[0] ?? ''
  const flags = Number(before === '' ? 512 : before)
  const after = kind === 'activeDirectory' ? String(enable ? flags & ~disabledBit : flags | disabledBit) : enable ? '' : lockedForGood
  if (after === before) return 'already'
  return {
    dn: entry.dn,
    changes: [{ name, before, after }],
    perform: (with_) => with_.modify(entry.dn, replace(name, after === '' ? [] : [after])),
  }
}

async function drawMember(
  client: Client,
  directory: DirectoryRecord,
  entry: Entry,
  group: string,
  join: boolean,
): Promise<Drawn | Refusal> {
  if (!isBelow(group, directory.base_dn)) return 'outside'
  const found = await findNamed(client, group)
  const classes = found === undefined ? [] : valuesOf(found, 'objectClass').map((one) => one.toLowerCase())
  const name = classes.includes('groupofuniquenames') ? 'uniqueMember' : 'member'
  if (found === undefined || !['groupofnames', 'groupofuniquenames', 'group'].some((one) => classes.includes(one))) return 'noGroup'
  const isIn = valuesOf(found, name).some((one) => one.toLowerCase() === entry.dn.toLowerCase())
  if (isIn === join) return 'already'
  return {
    dn: found.dn,
    changes: [{ name, before: join ? '' : entry.dn, after: join ? entry.dn : '' }],
    perform: (with_) =>
      with_.modify(
        found.dn,
        new Change({ operation: join ? 'add' : 'delete', modification: new Attribute({ type: name, values: [entry.dn] }) }),
      ),
  }
}

/** The account that was made, to be linked. */
export const readBack = findNamed
