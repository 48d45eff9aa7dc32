import { roles } from '#areas/roles/contract.ts'
import { beyondOf } from '#areas/roles/power.ts'
import { beyondInRoles, findRoles, holdAdministrators, membersOf, rolesOf, setRoles } from '#areas/roles/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { readUsernamePattern } from '#areas/tenancy/username-pattern.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { inTenant } from '#core/server/database.ts'
import { invalidField, type FaultDetail } from '#core/server/fault.ts'
import { countAttempt, giveBack } from '#core/server/limits.ts'
import { on, serve, type CallContext } from '#core/server/serve.ts'
import { firstSteps, goesWithPerson } from '#core/server/slots.ts'
import { say } from '#standards/say/say.ts'
import { users } from '../contract.ts'
import { addDays, daysInColumn, firstDayOf, origins } from '../creation.ts'
import { inviteAnew } from '../invitations.ts'
import { fits, storedHash } from '../passwords.ts'
import { dependantsOf, removeAccount } from '../removal.ts'
import { identifyingFields, mayEdit, mayIdentify, protectedFields, usernameFault, type IdentifyingField } from '../rules.ts'
import { addPerson, countPeople, emailKey, findPeople, fullName, invitedAmong, outgrownAmong, searchPeople } from '../service.ts'
import { seeing } from '../sight.ts'
import { isNameOfOthers, signInNameFor } from '../sign-in-names.ts'
import { countMade, countWithoutLink, longestWaiting } from './creation-store.ts'
import { exportPeople } from './export.ts'
import { filterOf } from './filter.ts'
import {
  anyCanSignIn,
  countByStatus,
  findUserRow,
  holdUserRow,
  indexUser,
  pageOfUsers,
  releaseUsername,
  takeUsername,
  updateUser,
  type UserRecord,
} from './store.ts'

export default serve(
  users,
  {
    async search({ page, size, sort, direction, ...asked }, { db, viewer, now }) {
      const filter = filterOf({ ...asked, sort }, viewer, now)
      const { counts, total, more, ...found } = await countByStatus(db, viewer.tenantId, filter)
      const rows = await pageOfUsers(db, viewer.tenantId, { ...filter, ...found }, { page, size, sort, direction })
      return { rows: rows.map(rowOf), total, more, facets: { status: counts } }
    },

    async creation({ days }, { tenancy, viewer, now }) {
      const from = firstDayOf(days, now)
      const since = new Date(from)
      const made = await countMade(tenancy, since)
      const { lapsed, none } = await countWithoutLink(tenancy, since)
      const sum = (which: (one: (typeof made)[number]) => boolean): number => made.filter(which).reduce((all, { count }) => all + count, 0)
      const inColumn = daysInColumn(days)
      const waiting = viewer.permission.api.includes('userView') ? await longestWaiting(tenancy, waitingShown) : []
      return {
        from,
        until: addDays(from, days - 1),
        created: sum(() => true),
        active: sum(({ status }) => status === 'active'),
        invited: sum(({ status }) => status === 'invited'),
        disabled: sum(({ status }) => status === 'disabled'),
        lapsed,
        withoutLink: none,
        columns: Array.from({ length: days / inColumn }, (_, at) => {
          const [first, last] = [addDays(from, at * inColumn), addDays(from, (at + 1) * inColumn - 1)]
          return { from: first, until: last, created: sum(({ day }) => day >= first && day <= last) }
        }),
        origins: origins.flatMap((origin) => {
          const created = sum((one) => one.origin === origin)
          return created === 0 ? [] : [{ origin, created, active: sum((one) => one.origin === origin && one.status === 'active') }]
        }),
        waiting: waiting.map((row) => ({
          id: row.id,
          name: `${row.given_name} ${row.family_name}`,
          emailAddress: row.email_address,
          origin: row.origin,
          createdAt: row.created_at.toISOString(),
          link: row.expires_at === null ? ('none' as const) : row.expires_at > now ? ('good' as const) : ('lapsed' as const),
          ...when('linkUntil', row.expires_at),
        })),
      }
    },

    async read({ id }, { db, tenancy, viewer, fault, house }) {
      await seeing(house, tenancy, viewer, id)
      const row = (await findUserRow(db, viewer.tenantId, id)) ?? fault('missing')
      const roles = await rolesOf(db, viewer.tenantId, id)
      return {
        ...rowOf(row),
        telephoneNumber: row.telephone_number,
        title: row.title,
        locality: row.locality,
        organisation: row.organisation,
        securityIdentifier: row.security_identifier,
        enabled: row.enabled,
        roles: roles.map((role) => ({ id: role.id, name: role.name })),
        failedLogins: row.failed_logins,
        ...when('lastFailedLogin', row.last_failed_login),
        modifiedAt: row.modified_at.toISOString(),
        ...when('enabledAt', row.enabled_at),
        ...when('disabledAt', row.disabled_at),
        mayEdit: mayEdit(viewer, id) && (id === viewer.userId || (await beyondOf(house, tenancy, id, viewer)).length === 0),
        mayIdentify: mayIdentify(viewer, id, await isOnlyAdministrator(db, viewer.tenantId, id)),
      }
    },

    async add({ roleIds, ...draft }, { db, viewer, emit, now, fault, house }) {
      const roles = await findRoles(db, viewer.tenantId, roleIds)
      if (roles.length !== new Set(roleIds).size) fault('unknownRole')
      refuseBeyond(beyondInRoles(roles, viewer.permission), fault)
      await refuseUnfit(db, viewer.tenantId, draft.username)
      const id =
        ((await isNameOfOthers(db, viewer.tenantId, draft.username))
          ? undefined
          : await addPerson(db, viewer.tenantId, { ...draft, origin: 'form' }, now)) ??
        fault('usernameTaken', await takenDetail(db, viewer.tenantId, draft.username))
      await setRoles(db, viewer.tenantId, id, roleIds)
      const link = await inviteAnew(db, house, viewer.tenantId, { id, ...draft }, now, viewer.username)
      emit('added', { userId: id, roles: roles.map((role) => role.name) }, id)
      return { id, ...link }
    },

    async change({ id, roleIds, ownPassword, ...draft }, { viewer, now, fault, house, request, transact }) {
      if (!mayEdit(viewer, id)) fault('denied', { params: { permission: 'userEdit' } })
      const { before, onlyAdministrator } = await inTenant(house.database, viewer.tenantId, async (db) => ({
        before: (await findUserRow(db, viewer.tenantId, id)) ?? fault('missing'),
        onlyAdministrator: await isOnlyAdministrator(db, viewer.tenantId, id),
      }))
      const attempt = { account: viewer.userId, from: viewer.credentialId, address: request.address }
      const renamed = identifyingFields.filter((field) => draft[field] !== before[columnOf[field]])
      if (renamed.length > 0 && !mayIdentify(viewer, id, onlyAdministrator))
        fault('identity', { fields: renamed.map((field) => ({ field, says: say`Ask somebody else who may edit users to change this` })) })
      const changesProtected = protectedFields.some((field) => renamed.includes(field))
      if (changesProtected) {
        if (ownPassword === undefined)
          return fault('passwordNeeded', { fields: [{ field: 'ownPassword', says: say`Enter your own password` }] })
        const hash = await inTenant(house.database, viewer.homeTenantId, (db) => storedHash(db, viewer.homeTenantId, viewer.userId))
        // Counted here, not at the door: a change that asks for no password would give guesses back.
        const counted = await countAttempt(house.database, 'code', attempt, now)
        if (!(await fits(house, ownPassword, hash)))
          fault('passwordNeeded', { fields: [{ field: 'ownPassword', says: say`This is not your password` }] })
        await giveBack(house.database, counted)
      }
      if (draft.username !== before.username)
        await inTenant(house.database, viewer.tenantId, (db) => refuseUnfit(db, viewer.tenantId, draft.username))
      // Names are unique in the installation, so each one tried tells a little about other tenancies.
      const named =
        draft.username.toLowerCase() === before.username.toLowerCase() ? [] : await countAttempt(house.database, 'name', attempt, now)
      const fullEditor = viewer.permission.api.includes('userEdit')
      const changed = await transact(async ({ db, emit }) => {
        const row = (await holdUserRow(db, viewer.tenantId, id)) ?? fault('missing')
        // The right was judged, and the password asked for or not, by what stood there before.
        if (identifyingFields.some((field) => row[columnOf[field]] !== before[columnOf[field]])) fault('conflict')
        const held = await rolesOf(db, viewer.tenantId, id)
        if (id !== viewer.userId) refuseBeyond(await beyondOf(house, { db, tenantId: viewer.tenantId, now }, id, viewer), fault)
        if (row.username.toLowerCase() !== draft.username.toLowerCase())
          if (!(await rename(db, row, draft.username))) fault('usernameTaken', await takenDetail(db, viewer.tenantId, draft.username))
        const record = {
          username: draft.username,
          given_name: draft.givenName,
          family_name: draft.familyName,
          email_address: draft.emailAddress,
          telephone_number: draft.telephoneNumber,
          title: draft.title,
          locality: draft.locality,
          organisation: draft.organisation,
          security_identifier: draft.securityIdentifier,
        }
        const fields = Object.entries(record).flatMap(([field, value]) => (Reflect.get(row, field) === value ? [] : [field]))
        await updateUser(db, viewer.tenantId, id, {
          ...record,
          ...(renamed.includes('emailAddress') ? { email_key: emailKey(draft.emailAddress) } : {}),
          modified_at: now,
        })
        await indexUser(db, { tenant_id: viewer.tenantId, id, ...record })
        let roleChange: { given: string[]; taken: string[] } = { given: [], taken: [] }
        if (fullEditor) {
          const wanted = await findRoles(db, viewer.tenantId, roleIds)
          if (wanted.length !== new Set(roleIds).size) fault('unknownRole')
          refuseBeyond(
            beyondInRoles(
              wanted.filter((role) => !held.some((old) => old.id === role.id)),
              viewer.permission,
            ),
            fault,
          )
          roleChange = await setRoles(db, viewer.tenantId, id, roleIds)
          if (isAdministrator(held) && !isAdministrator(wanted)) await keepAnAdministrator(db, viewer.tenantId, fault)
        }
        emit('changed', { userId: id, fields, ...roleChange }, id)
        // Who knows the open link knew another account: it was sent elsewhere, or led to less. The editor holds all that the person holds.
        const led = renamed.includes('emailAddress') || roleChange.given.length > 0 || roleChange.taken.length > 0
        if (!led || (await invitedAmong(db, viewer.tenantId, [id], now)).length === 0) return {}
        emit('invited', { userId: id }, id)
        return inviteAnew(db, house, viewer.tenantId, { id, ...draft }, now, viewer.username)
      })
      await giveBack(house.database, named)
      return changed
    },

    setEnabled: ({ id, enabled }, context) => setEnabled(id, enabled, context),
    activate: ({ id }, context) => setEnabled(id, true, context),

    async removal({ id }, { db, tenancy, viewer, fault, house }) {
      if ((await findUserRow(db, viewer.tenantId, id)) === undefined) fault('missing')
      const goes: { kind: string; count: number }[] = []
      for (const count of house.offers(goesWithPerson)) goes.push(...(await count(tenancy, id)).filter((one) => one.count > 0))
      return { keeps: await dependantsOf(house, tenancy, id), goes }
    },

    async remove({ id }, { db, tenancy, viewer, emit, fault, house }) {
      const row = (await holdUserRow(db, viewer.tenantId, id)) ?? fault('missing')
      if (id === viewer.userId) fault('notYourself')
      const held = await rolesOf(db, viewer.tenantId, id)
      refuseBeyond(await beyondOf(house, tenancy, id, viewer), fault)
      const what = await dependantsOf(house, tenancy, id)
      if (what.length > 0) fault('dependants', { params: { what: what.join(', ') } })
      await removeAccount(house, tenancy, { id, username: row.username })
      if (isAdministrator(held)) await keepAnAdministrator(db, viewer.tenantId, fault)
      emit('deleted', { userId: id, username: row.username, name: `${row.given_name} ${row.family_name}` }, id)
      return {}
    },

    async invite({ id }, { db, tenancy, viewer, emit, now, fault, house }) {
      const row = (await findUserRow(db, viewer.tenantId, id)) ?? fault('missing')
      if (row.activated_at !== null) fault('active')
      refuseBeyond(await beyondOf(house, tenancy, id, viewer), fault)
      const link = await inviteAnew(
        db,
        house,
        viewer.tenantId,
        { id, username: row.username, givenName: row.given_name, familyName: row.family_name, emailAddress: row.email_address },
        now,
        viewer.username,
      )
      emit('invited', { userId: id }, id)
      return link
    },
  },
  {
    endpoints: { export: { handle: exportPeople } },
    offers: [offer(firstSteps, { step: 'person', isDone: async (db, tenantId) => (await countPeople(db, tenantId)) > 1 })],
    records: {
      user: {
        names: async ({ db, tenantId }, ids) =>
          (await findPeople(db, tenantId, ids)).map((person) => ({
            id: person.id,
            name: fullName(person),
            detail: person.username,
            path: pathOf(person.id),
          })),
        seek: async ({ db, tenantId }, { text, most }) => (await searchPeople(db, tenantId, text, most)).map(({ id }) => id),
        facets: async ({ db, tenantId }) => ({
          status: (await countByStatus(db, tenantId, { text: '', status: undefined, among: [] })).counts,
        }),
        search: async ({ db, tenantId }, { text, most }) =>
          (await searchPeople(db, tenantId, text, most)).map((person) => ({
            id: person.id,
            label: fullName(person),
            detail: `${person.username} · ${person.emailAddress}`,
            path: pathOf(person.id),
          })),
      },
    },
    subscriptions: [
      // The open links of the people of a role lead to what they led to before the role changed, so they are void: here come the new ones.
      on(roles.events.changed, async ({ tenantId, about: roleId }, house) => {
        const now = house.now()
        await house.work(tenantId, { name: 'Invitations' }, async ({ db, tenancy, emitFor }) => {
          const outgrown = await outgrownAmong(house, tenancy, await membersOf(db, tenantId, roleId))
          for (const person of outgrown) {
            await inviteAnew(db, house, tenantId, person, now)
            emitFor(users)('invited', { userId: person.id }, person.id)
          }
        })
      }),
    ],
  },
)

async function setEnabled(
  id: string,
  enabled: boolean,
  { db, tenancy, viewer, house, emit, now, fault }: CallContext<typeof users, 'setEnabled'>,
): Promise<Record<string, never>> {
  const row = (await holdUserRow(db, viewer.tenantId, id)) ?? fault('missing')
  if (id === viewer.userId) fault('notYourself')
  const held = await rolesOf(db, viewer.tenantId, id)
  refuseBeyond(await beyondOf(house, tenancy, id, viewer), fault)
  // Also where the account is disabled already: from now on it is so because somebody said so, and no program enables it.
  if (row.enabled !== enabled || !enabled)
    await updateUser(db, viewer.tenantId, id, { enabled, modified_at: now, ...(enabled ? { enabled_at: now } : { disabled_at: now }) })
  if (!enabled && isAdministrator(held)) await keepAnAdministrator(db, viewer.tenantId, fault)
  emit(enabled ? 'enabled' : 'disabled', { userId: id }, id)
  return {}
}

const pathOf = (id: string): string => to(users.screens.view, { id })

const when = <N extends string>(name: N, date: Date | null): { [K in N]?: string } =>
  date === null ? {} : ({ [name]: date.toISOString() } as { [K in N]: string })

const rowOf = (row: UserRecord) => ({
  id: row.id,
  username: row.username,
  givenName: row.given_name,
  familyName: row.family_name,
  emailAddress: row.email_address,
  status: !row.enabled ? ('disabled' as const) : row.activated_at === null ? ('invited' as const) : ('active' as const),
  createdAt: row.created_at.toISOString(),
  ...when('lastSuccessfulLogin', row.last_successful_login),
})

const waitingShown = 10

const columnOf = {
  username: 'username',
  givenName: 'given_name',
  familyName: 'family_name',
  emailAddress: 'email_address',
  title: 'title',
  locality: 'locality',
  organisation: 'organisation',
  securityIdentifier: 'security_identifier',
} as const satisfies Record<IdentifyingField, keyof UserRecord>

/** A new name fits what the tenancy asks of names; one that is there already stays. */
async function refuseUnfit(db: Database, tenantId: string, username: string): Promise<void> {
  const { usernamePattern = '', usernameMessage = '' } = (await findTenancy(db, tenantId)) ?? {}
  if (usernamePattern === '') return
  const { fits } = readUsernamePattern(usernamePattern)
  const says = fits && usernameFault(username, { fits, message: usernameMessage })
  if (says !== undefined) throw invalidField('username', says)
}

/** Holds the built-in administrator's role, and nobody else who can sign in does. */
async function isOnlyAdministrator(db: Database, tenantId: string, userId: string): Promise<boolean> {
  const role = (await rolesOf(db, tenantId, userId)).find(({ builtIn }) => builtIn === 'administrator')
  if (role === undefined) return false
  const others = (await membersOf(db, tenantId, role.id)).filter((id) => id !== userId)
  return !(await anyCanSignIn(db, tenantId, others))
}

function refuseBeyond(names: readonly string[], fault: (code: 'beyond', detail: { params: Record<string, string> }) => never): void {
  if (names.length > 0) fault('beyond', { params: { permissions: names.slice(0, 5).join(', ') } })
}

const isAdministrator = (held: readonly { builtIn: string | undefined }[]): boolean =>
  held.some(({ builtIn }) => builtIn === 'administrator')

/** A tenancy without an administrator who can sign in could be helped from the terminal only. */
async function keepAnAdministrator(db: Database, tenantId: string, fault: (code: 'lastAdministrator') => never): Promise<void> {
  const administrators = await holdAdministrators(db, tenantId)
  if (!(await anyCanSignIn(db, tenantId, administrators))) fault('lastAdministrator')
}

/** False where somebody of the installation has the name, or another tenancy alone can give it. */
async function rename(db: Database, row: UserRecord, username: string): Promise<boolean> {
  if (await isNameOfOthers(db, row.tenant_id, username)) return false
  if (!(await takeUsername(db, row.tenant_id, row.id, username))) return false
  await releaseUsername(db, row.id, row.username)
  return true
}

/** One that is the tenancy's own to give stands beside it; whether a name of this tenancy or another's was in the way is not said. */
async function takenDetail(db: Database, tenantId: string, username: string): Promise<FaultDetail> {
  const free = await signInNameFor(db, tenantId, username)
  return { fields: [{ field: 'username', says: say`This username is taken. ${free} is free` }] }
}
