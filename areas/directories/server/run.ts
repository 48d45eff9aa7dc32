// Does what was planned, one person a transaction. Whatever is otherwise than when it was planned is left out and told.

import { beyondOf } from '#areas/roles/power.ts'
import { beyondInRoles, setRoles, findRoles, rolesOf, holdAdministrators } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import { inviteAnew, inviteWhereOutgrown } from '#areas/users/invitations.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { rightsLater, type Rights } from '#areas/users/rights.ts'
import {
  addPerson,
  changeAccount,
  emailKey,
  findAttributes,
  findByEmail,
  findPeople,
  holdPerson,
  setAccountEnabled,
  updateAttributes,
  type AccountFields,
} from '#areas/users/service.ts'
import { signInNameFor } from '#areas/users/sign-in-names.ts'
import { Fault } from '#core/server/fault.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { directories } from '../contract.ts'
import { isOfAccount } from '../mapping.ts'
import {
  countChanges,
  findDirectory,
  findEntry,
  listOpenChanges,
  lockRun,
  takeChange,
  updateChange,
  updateEntry,
  updateRun,
  updateSeen,
  type ChangeRecord,
  type DirectoryRecord,
  type RunRecord,
} from './store.ts'

/** A reason not to do one change, for whoever reads the run. */
class NotDone extends Error {
  override name = 'NotDone'
}

/** Of the database's refusal of a value that may stand only once; undefined of everything else. */
const takenMeanwhile = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505'
    ? 'Somebody here has the same address, name or identifier'
    : undefined

const together = 200

/** Goes on with a run until it ends or the time is up. */
export async function goOn(house: House, run: RunRecord, until: number): Promise<'more' | void> {
  const { tenant_id: tenantId } = run
  const directory = await withTenancy(house, tenantId, (tenancy) => findDirectory(tenancy, run.directory_id))
  if (directory === undefined) return
  const actor = run.approved_by === null ? { name: `Directory ${directory.name}` } : { userId: run.approved_by, name: run.approver }
  for (;;) {
    const open = await withTenancy(house, tenantId, (tenancy) => listOpenChanges(tenancy, run.id, together))
    if (open.length === 0) break
    for (const change of open) {
      let held = false
      await house
        .work(tenantId, actor, async (work) => {
          if (!(await takeChange(work.tenancy, change))) return
          const answers = await rightsLater(work.tenancy, { userId: run.approved_by ?? directory.owner_id }, ['userAdd', 'userEdit'])
          held = answers === undefined
          if (answers === undefined) return hold(run, work)
          await doChange(house, directory, { change, answers }, work)
          await updateChange(work.tenancy, change, 'done')
        })
        .catch(async (error: unknown) => {
          const says = error instanceof NotDone || error instanceof Fault ? error.message : takenMeanwhile(error)
          if (says === undefined) throw error
          await withTenancy(house, tenantId, (tenancy) => updateChange(tenancy, change, 'failed', says))
        })
      if (performance.now() > until) return 'more'
      if (held) return
    }
  }
  await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    if ((await lockRun(tenancy, run.id))?.status !== 'running') return
    const counts = await countChanges(tenancy, run.id)
    const count = (state: ChangeRecord['state']) => counts.filter((one) => one.state === state).reduce((sum, one) => sum + one.count, 0)
    await updateRun(tenancy, run.id, { status: 'done', ended_at: tenancy.now })
    await updateSeen(tenancy, directory.id, run.seen)
    emitFor(directories)('ran', { directoryId: directory.id, planId: run.id, done: count('done'), failed: count('failed') }, directory.id)
  })
}

/** What is left waits for somebody who may do it. */
async function hold(run: RunRecord, { tenancy, emitFor }: TenantWork): Promise<void> {
  if ((await lockRun(tenancy, run.id))?.status !== 'running') return
  const reason = say`Whoever answered for this run may not add and edit users any more. Somebody else approves what is left`
  await updateRun(tenancy, run.id, { status: 'held', reason, approved_by: null, approver: '' })
  emitFor(directories)('failed', { directoryId: run.directory_id, reason }, run.directory_id)
}

/** What whoever answers for the run may do now: the account that approved it, or else that saved the directory. */
type Answered = { change: ChangeRecord; answers: Rights }

async function doChange(house: House, directory: DirectoryRecord, answered: Answered, work: TenantWork): Promise<void> {
  const { change, answers } = answered
  if (change.kind === 'new') return addFrom(house, directory, answered, work)
  const { tenancy, emitFor } = work
  const { db, tenantId } = tenancy
  const id = change.user_id ?? ''
  const person = await holdPerson(db, tenantId, id)
  if (person === undefined) throw new NotDone('The account is gone')
  if ((await beyondOf(house, tenancy, id, { ...answers, userId: answers.person.id, homeTenantId: answers.person.tenantId })).length > 0)
    throw new NotDone('The person holds more than whoever answers for this sync')
  const entry = await findEntry(tenancy, directory.id, change.guid)
  // Whom somebody here disabled since, a directory does not enable.
  const byDirectory = person.disabledAt !== undefined && entry?.disabled_at?.getTime() === person.disabledAt.getTime()
  const enabled = change.kind === 'enabled' ? person.enabled || byDirectory : change.kind === 'changed' ? person.enabled : false
  if (enabled !== person.enabled) {
    await setAccountEnabled(tenancy, id, enabled)
    if (!enabled) await keepAnAdministrator(work)
    emitFor(users)(enabled ? 'enabled' : 'disabled', { userId: id }, id)
  }
  const kept = (await findAttributes(tenancy, [id])).get(id) ?? {}
  const here: Readonly<Record<string, string>> = { ...presentPerson(person), ...kept }
  const stale = change.fields.find((field) => (here[field.name] ?? '') !== field.here)
  if (stale !== undefined) throw new NotDone(`${stale.name} was changed here since the plan was made`)
  if (change.fields.length > 0) {
    const account: Partial<AccountFields> = Object.fromEntries(
      change.fields.filter(({ name }) => isOfAccount(name)).map(({ name, there }) => [name, there]),
    )
    if (account.emailAddress !== undefined) await needFreeAddress(work, account.emailAddress, id)
    await changeAccount(tenancy, person, account)
    await updateAttributes(
      tenancy,
      id,
      Object.fromEntries(change.fields.filter(({ name }) => !isOfAccount(name)).map(({ name, there }) => [name, there])),
    )
    if (await inviteWhereOutgrown(house, tenancy, id)) emitFor(users)('invited', { userId: id }, id)
    emitFor(directories)('updated', { userId: id, directoryId: directory.id, fields: change.fields.map(({ name }) => name) }, id)
  }
  // Who is gone from the directory loses what its groups gave, or would have it again with the account.
  await giveRoles(directory, change.kind === 'missing' ? { ...answered, change: { ...change, role_ids: [] } } : answered, id, work)
  await updateEntry(tenancy, {
    directory_id: directory.id,
    guid: change.guid,
    user_id: id,
    hash: change.hash,
    disabled: change.kind === 'disabled' || change.kind === 'missing',
    disabled_at: !enabled && person.enabled ? tenancy.now : (entry?.disabled_at ?? null),
  })
}

/** The sign-in name that somebody new gets from what the directory says; another where it is taken meanwhile. */
export const signInNameOf = ({ db, tenantId }: Tenancy, said: readonly (readonly [string, string])[]): Promise<string> => {
  const values: Readonly<Record<string, string>> = Object.fromEntries(said)
  return signInNameFor(db, tenantId, values['username'] ?? (values['emailAddress'] ?? '').replace(/@.*$/, ''))
}

async function addFrom(house: House, directory: DirectoryRecord, answered: Answered, work: TenantWork): Promise<void> {
  const { change } = answered
  const { tenancy, emitFor } = work
  const { db, tenantId, now } = tenancy
  const values: Readonly<Record<string, string>> = Object.fromEntries(change.fields.map(({ name, there }) => [name, there]))
  const draft = {
    givenName: (values['givenName'] ?? '').slice(0, 80),
    familyName: (values['familyName'] ?? '').slice(0, 80),
    emailAddress: values['emailAddress'] ?? '',
    ...Object.fromEntries(
      (['telephoneNumber', 'title', 'locality', 'organisation', 'securityIdentifier'] as const).flatMap((name) =>
        values[name] === undefined ? [] : [[name, values[name]]],
      ),
    ),
  }
  await needFreeAddress(work, draft.emailAddress)
  const username = await signInNameOf(tenancy, Object.entries(values))
  const id = await addPerson(db, tenantId, { ...draft, username, origin: 'directory' }, now)
  if (id === undefined) throw new NotDone('The username was taken meanwhile')
  await updateAttributes(tenancy, id, Object.fromEntries(Object.entries(values).filter(([name]) => !isOfAccount(name))))
  await updateEntry(tenancy, {
    directory_id: directory.id,
    guid: change.guid,
    user_id: id,
    hash: change.hash,
    disabled: false,
    disabled_at: null,
  })
  emitFor(users)('added', { userId: id, roles: [] }, id)
  emitFor(directories)('linked', { userId: id, directoryId: directory.id }, id)
  await giveRoles(directory, answered, id, work)
  if (!directory.invite) return
  await inviteAnew(db, house, tenantId, { id, username, ...draft }, now)
  emitFor(users)('invited', { userId: id }, id)
}

/** An account is never taken over by its address, nor shares it. */
async function needFreeAddress({ tenancy: { db, tenantId } }: TenantWork, address: string, own?: string): Promise<void> {
  if ((await findByEmail(db, tenantId, [emailKey(address)])).some(({ id }) => id !== own))
    throw new NotDone('Somebody here has this e-mail address already')
}

/** Gives and takes the roles that this directory gives by its groups; all others stay. */
async function giveRoles(
  { group_roles }: DirectoryRecord,
  { change: planned, answers }: Answered,
  id: string,
  work: TenantWork,
): Promise<void> {
  if (group_roles.length === 0) return
  const { db, tenantId } = work.tenancy
  const given = new Set(group_roles.map(({ roleId }) => roleId))
  const held = (await rolesOf(db, tenantId, id)).map((role) => role.id)
  const there = await findRoles(db, tenantId, planned.role_ids)
  const fresh = there.filter((role) => !held.includes(role.id))
  // A directory does no more than whoever answers for it could do by hand.
  if (beyondInRoles(fresh, answers.permission).length > 0)
    throw new NotDone('A role of a group holds more than whoever answers for this sync')
  const after = [...held.filter((role) => !given.has(role)), ...there.map((role) => role.id)]
  const change = await setRoles(db, tenantId, id, after)
  if (change.given.length + change.taken.length === 0) return
  if (change.taken.length > 0) await keepAnAdministrator(work)
  work.emitFor(users)('changed', { userId: id, fields: [], ...change }, id)
}

/** A directory that is wrong, or was taken over, does not lock everybody out. */
async function keepAnAdministrator({ tenancy: { db, tenantId } }: TenantWork): Promise<void> {
  const administrators = await findPeople(db, tenantId, await holdAdministrators(db, tenantId))
  if (!administrators.some(({ enabled, activated }) => enabled && activated))
    throw new NotDone('Nobody would be left who can sign in and holds the Administrator role')
}
