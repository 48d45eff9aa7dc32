// People from a CSV file. A row is found by its id, else by the username, else by the e-mail address; whoever is not found is made.

import * as z from 'zod'
import { beyondOf } from '#areas/roles/power.ts'
import { beyondInRoles, findRolesNamed, rolesOf, setRoles, type Role } from '#areas/roles/service.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { readUsernamePattern } from '#areas/tenancy/username-pattern.ts'
import { attributeNamed, labelOf } from '#areas/users/attributes.ts'
import { users } from '#areas/users/contract.ts'
import { inviteAnew, inviteWhereOutgrown } from '#areas/users/invitations.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { dependantsOf, removeAccount } from '#areas/users/removal.ts'
import { rightsLater } from '#areas/users/rights.ts'
import { identifyingFields, usernameFault } from '#areas/users/rules.ts'
import {
  addPerson,
  changeAccount,
  emailKey,
  findAttributes,
  findByEmail,
  findOwnUsernames,
  findPeople,
  findPerson,
  fullName,
  updateAttributes,
  type AccountFields,
  type Person,
} from '#areas/users/service.ts'
import { isSignInNameOf, signInNameFor } from '#areas/users/sign-in-names.ts'
import { Id } from '#core/contract/shapes.ts'
import { invalidField } from '#core/server/fault.ts'
import type { CallContext } from '#core/server/serve.ts'
import { importHandlers } from '#core/server/staged-import/import-handlers.ts'
import {
  countImport,
  importKind,
  readImport,
  type ImportFault,
  type ImportWork,
  type RowOf,
} from '#core/server/staged-import/staged-import.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { profiles, PersonImportOptions } from '../contract.ts'
import { keptAttributes, personColumns, type accountColumns } from '../import-columns.ts'
import { importWords } from '../import-words.ts'

type Row = RowOf<typeof accountColumns>

const accountFields = [
  'givenName',
  'familyName',
  'emailAddress',
  'telephoneNumber',
  'title',
  'locality',
  'organisation',
  'securityIdentifier',
] as const satisfies (keyof AccountFields)[]

/** What the row says of the attributes; an empty cell says nothing. */
const keptOf = (row: Row): Record<string, string> =>
  Object.fromEntries(
    keptAttributes.flatMap(({ name }) => {
      const value: unknown = Reflect.get(row, name)
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )

const accountOf = (row: Row): Partial<AccountFields> =>
  Object.fromEntries(accountFields.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])))

type Found = { row: Row; person: Person | undefined; kept: Readonly<Record<string, string>>; faults: ImportFault[] }

/** Finds whom each row means, all rows of a batch in a few questions. */
async function findFor({ tenancy }: Pick<ImportWork, 'tenancy'>, rows: readonly Row[]): Promise<Found[]> {
  const { db, tenantId } = tenancy
  const suffix = (await findTenancy(db, tenantId))?.signInSuffix ?? ''
  // A file that is chosen again names people as it did before, and not by the names that they were given.
  const given = (username: string): string => `${username}@${suffix}`
  const byName = await findOwnUsernames(
    db,
    tenantId,
    rows.flatMap(({ username }) => (username === undefined ? [] : [username, given(username)])),
  )
  const byEmail = new Map(
    (
      await findByEmail(
        db,
        tenantId,
        rows.map((row) => emailKey(row.emailAddress)),
      )
    ).map((person) => [emailKey(person.emailAddress), person]),
  )
  const ids = [...rows.flatMap(({ id }) => (id === undefined ? [] : [id])), ...byName.values()]
  const byId = new Map((await findPeople(db, tenantId, ids)).map((person) => [person.id, person]))
  const found = rows.map((row): Found => {
    const { username } = row
    const named =
      username === undefined ? undefined : byId.get(byName.get(username.toLowerCase()) ?? byName.get(given(username).toLowerCase()) ?? '')
    const holder = byEmail.get(emailKey(row.emailAddress))
    const person = row.id === undefined ? (named ?? holder) : byId.get(row.id)
    const faults: ImportFault[] = []
    if (row.id !== undefined && person === undefined) faults.push({ column: 'id', says: importWords.noSuchId.says })
    const isSame = (name: string, person: Person): boolean =>
      name.toLowerCase() === person.username.toLowerCase() || isSignInNameOf(suffix, name, person.username)
    if (person !== undefined && username !== undefined && !isSame(username, person))
      faults.push({ column: 'username', says: importWords.usernameStays.says })
    if (person !== undefined && holder !== undefined && holder.id !== person.id)
      faults.push({ column: 'emailAddress', says: importWords.addressTaken.says })
    return { row, person, kept: {}, faults }
  })
  const known = await findAttributes(
    tenancy,
    found.flatMap(({ person }) => (person === undefined ? [] : [person.id])),
  )
  return found.map((one) => ({ ...one, kept: known.get(one.person?.id ?? '') ?? {} }))
}

const differs = ({ row, person, kept }: Found): boolean =>
  person === undefined ||
  Object.entries(accountOf(row)).some(([name, value]) => Reflect.get(person, name) !== value) ||
  Object.entries(keptOf(row)).some(([name, value]) => (kept[name] ?? '') !== value)

const roleNames = ({ roles = '' }: Row): string[] =>
  roles
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** The roles of new people by name, found once for a batch. */
async function rolesNamed(tenancy: Tenancy, rows: readonly Row[]): Promise<Map<string, Role>> {
  const names = [...new Set(rows.flatMap(roleNames).map((name) => name.toLowerCase()))]
  return new Map((await findRolesNamed(tenancy.db, tenancy.tenantId, names)).map((role) => [role.name.toLowerCase(), role]))
}

const optionsOf = (work: Pick<ImportWork, 'options'>) => PersonImportOptions.parse(work.options)

/** What of a row cannot be done by this person with these options. */
async function judge(found: Found, work: ImportWork, known: Map<string, Role>): Promise<ImportFault[]> {
  const { row, person } = found
  const { mode } = optionsOf(work)
  const { db, tenantId } = work.tenancy
  const { permission } = work.actor
  const faults = [...found.faults]
  const named = roleNames(row)
  if (person === undefined) {
    const says = row.username === undefined ? undefined : await usernameFaultIn(work.tenancy, row.username)
    if (says !== undefined) faults.push({ column: 'username', says })
    if (mode === 'update') faults.push({ column: '', says: importWords.nobodyMeant.says })
    for (const name of named) {
      const role = known.get(name.toLowerCase())
      if (role === undefined) faults.push({ column: 'roles', says: say`There is no role ${name}` })
      else if (beyondInRoles([role], permission).length > 0)
        faults.push({ column: 'roles', says: say`The role ${name} holds more than you` })
    }
    return faults
  }
  if (mode === 'add') faults.push({ column: '', says: importWords.isHere.says })
  const held = row.roles === undefined && !differs(found) ? [] : await rolesOf(db, tenantId, person.id)
  if (
    row.roles !== undefined &&
    !sameNames(
      named,
      held.map(({ name }) => name),
    )
  )
    faults.push({ column: 'roles', says: importWords.rolesStay.says })
  if (!differs(found)) return faults
  const renamed = identifyingFields.some((name) => name !== 'username' && row[name] !== undefined && row[name] !== person[name])
  if (person.id === work.actor.userId && renamed) faults.push({ column: '', says: importWords.ownName.says })
  if (person.id !== work.actor.userId && (await isBeyond(work, person.id))) faults.push({ column: '', says: importWords.mayDoMore.says })
  return faults
}

/** Whether a person holds more than whoever takes this step. */
const isBeyond = async ({ house, tenancy, actor }: ImportWork, userId: string): Promise<boolean> =>
  (await beyondOf(house, tenancy, userId, { ...actor, homeTenantId: actor.person.tenantId })).length > 0

/** The tenancy may ask for more of usernames; what the form for new users refuses is refused here, too. */
async function usernameFaultIn({ db, tenantId }: Tenancy, username: string): Promise<string | undefined> {
  const { usernamePattern = '', usernameMessage = '' } = (await findTenancy(db, tenantId)) ?? {}
  if (usernamePattern === '') return undefined
  const { fits } = readUsernamePattern(usernamePattern)
  return fits && usernameFault(username, { fits, message: usernameMessage })
}

/** With which name somebody new signs in; another where it is taken meanwhile. */
const signInNameOf = ({ db, tenantId }: Tenancy, row: Row): Promise<string> =>
  signInNameFor(db, tenantId, row.username ?? row.emailAddress.replace(/@.*$/, ''))

const sameNames = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.some((other) => other.toLowerCase() === name.toLowerCase()))

const Undo = z.object({
  made: Id.optional(),
  /** What was there before the import. */
  changed: z.object({ id: Id, account: z.record(z.string(), z.string()), kept: z.record(z.string(), z.string()) }).optional(),
  /** What the import wrote: an undo takes back nothing that somebody has edited since. */
  after: z.record(z.string(), z.string()).default({}),
})

export const personImport = importKind({
  kind: 'profiles.people',
  columns: personColumns,
  needs: ['userAdd', 'userEdit'],
  rights: rightsLater,
  undoShape: Undo,

  async check(rows, work) {
    const known = await rolesNamed(work.tenancy, rows)
    const checked = []
    for (const found of await findFor(work, rows)) {
      const faults = await judge(found, work, known)
      const effect = found.person === undefined ? 'new' : differs(found) ? 'changed' : 'same'
      checked.push(faults.length > 0 ? { faults } : { effect })
    }
    return checked
  },

  async becomes(rows, tenancy) {
    const others = []
    for (const { number, row } of rows) {
      const value = row.username ?? ''
      const becomes = await signInNameOf(tenancy, row)
      if (becomes !== value) others.push({ row: number, value, becomes })
    }
    return others
  },

  async apply(rows, work) {
    const known = await rolesNamed(work.tenancy, rows)
    const done = []
    for (const found of await findFor(work, rows)) {
      const [fault] = await judge(found, work, known)
      if (fault !== undefined) throw invalidField(fault.column, fault.says)
      done.push(found.person === undefined ? await add(found.row, work, known) : await change(found, found.person, work))
    }
    return done
  },

  async undo(rows, work) {
    const { tenancy, emitFor } = work
    for (const { made, changed, after } of rows) {
      const person = await findPerson(tenancy.db, tenancy.tenantId, made ?? changed?.id ?? '')
      if (person === undefined) continue
      if (await isBeyond(work, person.id)) throw invalidField('', importWords.mayDoMore.says)
      // What identifies oneself is changed by somebody else, also back.
      if (person.id === work.actor.userId && (made !== undefined || identifyingFields.some((name) => changed?.account[name] !== undefined)))
        throw invalidField('', importWords.ownName.says)
      const kept = (await findAttributes(tenancy, [person.id])).get(person.id) ?? {}
      const edited = editedSince(after, { ...presentPerson(person), ...kept })
      if (edited.length > 0)
        throw invalidField(edited[0] ?? '', say`Changed since the import, so this person stays: ${edited.map(labelOf).join(', ')}`)
      if (made !== undefined) {
        const used = person.activated ? ['signed in'] : await dependantsOf(work.house, tenancy, made)
        if (used.length > 0) throw invalidField('', importWords.used.says)
        await removeAccount(work.house, tenancy, { id: made, username: person.username })
        emitFor(users)('deleted', { userId: made, username: person.username, name: fullName(person) }, made)
      }
      if (changed !== undefined) {
        await write(work, person, changed)
      }
    }
  },
})

async function add(row: Row, work: ImportWork, known: ReadonlyMap<string, Role>): Promise<z.infer<typeof Undo>> {
  const { tenancy, emitFor } = work
  const { db, tenantId, now } = tenancy
  const draft = { givenName: row.givenName, familyName: row.familyName, emailAddress: row.emailAddress, ...accountOf(row) }
  const username = await signInNameOf(tenancy, row)
  const id = await addPerson(db, tenantId, { ...draft, username, origin: 'import' }, now)
  if (id === undefined) throw invalidField('username', importWords.usernameTaken.says)
  const roles = roleNames(row).flatMap((name) => known.get(name.toLowerCase()) ?? [])
  if (roles.length > 0)
    await setRoles(
      db,
      tenantId,
      id,
      roles.map((role) => role.id),
    )
  await updateAttributes(tenancy, id, keptOf(row))
  emitFor(users)('added', { userId: id, roles: roles.map(({ name }) => name) }, id)
  if (optionsOf(work).invite === 'yes') {
    await inviteAnew(db, work.house, tenantId, { id, username, ...draft }, now)
    emitFor(users)('invited', { userId: id }, id)
  }
  return { made: id, after: { ...accountOf(row), ...keptOf(row) } }
}

async function change({ row, kept, ...found }: Found, person: Person, work: ImportWork): Promise<z.infer<typeof Undo> | undefined> {
  if (!differs({ row, kept, ...found })) return undefined
  const account = Object.fromEntries(Object.entries(accountOf(row)).filter(([name, value]) => Reflect.get(person, name) !== value))
  const attributes = Object.fromEntries(Object.entries(keptOf(row)).filter(([name, value]) => (kept[name] ?? '') !== value))
  await write(work, person, { account, kept: attributes })
  const before = (names: readonly string[], of: (name: string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, String(of(name) ?? '')]))
  return {
    changed: {
      id: person.id,
      account: before(Object.keys(account), (name) => Reflect.get(person, name)),
      kept: before(Object.keys(attributes), (name) => kept[name]),
    },
    after: { ...account, ...attributes },
  }
}

/** The fields that hold something else now than what the import wrote. */
const editedSince = (after: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] =>
  Object.entries(after).flatMap(([name, value]) => ((now[name] ?? '') === value ? [] : [name]))

/** Writes fields of an account and of what is kept beside it. Whoever has not opened the link yet gets a new one where the address is another. */
async function write(
  { house, tenancy, emitFor }: ImportWork,
  person: Person,
  { account, kept }: { account: Partial<AccountFields>; kept: Readonly<Record<string, string>> },
): Promise<void> {
  await changeAccount(tenancy, person, account)
  await updateAttributes(tenancy, person.id, kept)
  emitFor(profiles)('changed', { userId: person.id, fields: [...Object.keys(account), ...Object.keys(kept)] }, person.id)
  if (await inviteWhereOutgrown(house, tenancy, person.id)) emitFor(users)('invited', { userId: person.id }, person.id)
}

/** Card numbers, and the addresses of people who are here, are changed by who has just proved who they are, to and fro. */
async function needProof(
  { importId }: { importId: string },
  { tenancy, house, viewer, now }: Pick<CallContext<typeof profiles, 'startImport'>, 'tenancy' | 'house' | 'viewer' | 'now'>,
): Promise<void> {
  const { mapping, options } = await readImport(tenancy, { kind: personImport, importId })
  const guarded = Object.keys(mapping).some((name) => attributeNamed(name)?.source === 'kept' && attributeNamed(name)?.protected === true)
  const renames = PersonImportOptions.parse(options).mode !== 'add' && ('id' in mapping || 'username' in mapping)
  const { effects } = await countImport(tenancy, { importId })
  if (guarded || (renames && (effects['changed'] ?? 0) > 0)) await requireFreshProof(house, tenancy.db, viewer, now)
}

export const importing = importHandlers(personImport, profiles.jobs.imports, { start: needProof, undo: needProof })
