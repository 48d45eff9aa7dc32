import { FilterParser } from 'ldapts'
import { randomUUID } from 'node:crypto'
import { networkAddresses } from '#areas/configuration/infrastructure.ts'
import { sealForTenant } from '#areas/keys/sealing.ts'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { beyondInRoles, findRoles, rolesOf } from '#areas/roles/service.ts'
import { attributeAccess } from '#areas/users/attributes.ts'
import { personMoves } from '#areas/users/moves.ts'
import { rightsLater } from '#areas/users/rights.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { forEach } from '#core/server/each.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { checkRoots } from '#core/server/trusted-roots.ts'
import { actorOf } from '#core/server/visiting.ts'
import { configFaults, directories } from '../contract.ts'
import { dnFaults } from '../dn.ts'
import { DirectoryError, findFew, passwordOf, passwordPurpose, readEntry, withDirectory, type Read } from './connection.ts'
import { findFewAccounts, withGraph } from './entra.ts'
import { makePlan, type Planner } from './plan.ts'
import { goOn, signInNameOf } from './run.ts'
import {
  countChanges,
  countPeople,
  deleteDirectory,
  countEntries,
  deleteEntriesOf,
  deleteOldRuns,
  findChangePage,
  findDirectory,
  findDirectoryPage,
  findLastRuns,
  findRun,
  insertDirectory,
  listDirectories,
  listDueByNight,
  listRunning,
  lockRun,
  moveEntry,
  updateDirectory,
  updateNight,
  updateRun,
  type ChangeRecord,
  type DirectoryDraft,
  type DirectoryRecord,
  type RunRecord,
} from './store.ts'
import { tryDirectory } from './trial.ts'
import { deleteOldWrites, deleteWritesOf } from './write-store.ts'
import { planWrite, readWrites, runWrite } from './writing.ts'

const mostFew = 200
const keepRuns = 90 * 86_400_000
/** What the night began with is not due again before it is over, however many runs of the job it takes. */
const nightMilliseconds = 6 * 3_600_000

type Granted = { given: string[]; taken: string[] }
const noGrants: Granted = { given: [], taken: [] }

/** Which roles a change gives and takes, as things stand; of one that was done, only what it gave to a new person is known. */
async function grantedBy({ kind, state, user_id, role_ids }: ChangeRecord, directory: DirectoryRecord, tenancy: Tenancy): Promise<Granted> {
  const { db, tenantId } = tenancy
  if (kind === 'conflict' || directory.group_roles.length === 0) return noGrants
  if (kind !== 'new' && state !== 'planned') return noGrants
  const held = user_id === null || kind === 'new' ? [] : await rolesOf(db, tenantId, user_id)
  const wanted = kind === 'missing' ? [] : role_ids
  const there = await findRoles(db, tenantId, wanted)
  const byGroups = new Set(directory.group_roles.map(({ roleId }) => roleId))
  return {
    given: there.filter(({ id }) => !held.some((role) => role.id === id)).map(({ name }) => name),
    taken: held.filter(({ id }) => byGroups.has(id) && !wanted.includes(id)).map(({ name }) => name),
  }
}

export default serve(
  directories,
  {
    async list({ page, size }, { tenancy }) {
      const { rows, total } = await findDirectoryPage(tenancy, { page, size })
      const people = await countPeople(tenancy)
      const last = await findLastRuns(tenancy)
      return {
        rows: rows.map((row) => {
          const run = last.get(row.id)
          return {
            id: row.id,
            name: row.name,
            kind: row.kind,
            host: row.host,
            nightly: row.nightly,
            people: people.get(row.id) ?? 0,
            ...(run === undefined ? {} : { lastRun: presentRun(run, row.name) }),
          }
        }),
        total,
      }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findDirectory(tenancy, id)) ?? fault('missing')
      const roles = await findRoles(
        tenancy.db,
        tenancy.tenantId,
        row.group_roles.map(({ roleId }) => roleId),
      )
      return {
        id,
        version: row.version,
        name: row.name,
        kind: row.kind,
        host: row.host,
        port: row.port,
        security: row.security,
        roots: row.roots,
        bindDn: row.bind_dn,
        baseDn: row.base_dn,
        filter: row.filter,
        mapping: { ...row.mapping },
        groupRoles: row.group_roles.map((one) => ({ ...one, role: roles.find((role) => role.id === one.roleId)?.name ?? '' })),
        approval: row.approval,
        invite: row.invite,
        nightly: row.nightly,
        writable: row.writable,
        peopleBase: row.people_base,
        loginHost: row.login_host,
      }
    },

    async add({ password, ...draft }, { viewer, house, fault, transact }) {
      checkRoots(draft.roots)
      await judge(draft, viewer, house, fault)
      const id = randomUUID()
      await transact(async ({ tenancy, emit }) => {
        await judgeRoles(draft, tenancy, viewer, fault)
        const sealed = await sealPassword(house, tenancy, id, password)
        await insertDirectory(tenancy, id, { ...columnsOf(draft), ...sealed, owner_id: viewer.userId })
        emit('added', { directoryId: id, name: draft.name }, id)
      })
      return { id }
    },

    async change({ id, version, password, ...draft }, { viewer, house, fault, transact }) {
      checkRoots(draft.roots)
      await judge(draft, viewer, house, fault)
      await transact(async ({ tenancy, emit }) => {
        const row = (await findDirectory(tenancy, id)) ?? fault('missing')
        if (version !== undefined && version !== row.version) fault('conflict')
        if (password === undefined && isElsewhere(row, draft)) fault('passwordNeeded')
        await judgeRoles(draft, tenancy, viewer, fault)
        const sealed =
          password === undefined
            ? { password_sealed: row.password_sealed, tenant_key_id: row.tenant_key_id }
            : await sealPassword(house, tenancy, id, password)
        await updateDirectory(tenancy, id, { ...columnsOf(draft), ...sealed, owner_id: viewer.userId })
        emit('changed', { directoryId: id, name: draft.name }, id)
      })
      return {}
    },

    async remove({ id }, { tenancy, emit, fault }) {
      const { name } = (await findDirectory(tenancy, id)) ?? fault('missing')
      await deleteDirectory(tenancy, id)
      await deleteWritesOf(tenancy.db, tenancy.tenantId, 'directory_id', id)
      emit('removed', { directoryId: id, name }, id)
      return {}
    },

    async test({ id }, { viewer, house, fault }) {
      const directory = (await withTenancy(house, viewer.tenantId, (tenancy) => findDirectory(tenancy, id))) ?? fault('missing')
      const found = await reached(fault, () => findSome(house, directory, '', 5))
      return { people: found.map(presentFound) }
    },

    async tryOut({ id, password: given, ...draft }, { viewer, now, house, fault }) {
      checkRoots(draft.roots)
      await judge(draft, viewer, house, fault)
      const kept =
        id === undefined
          ? undefined
          : ((await withTenancy(house, viewer.tenantId, (tenancy) => findDirectory(tenancy, id))) ?? fault('missing'))
      if (given === undefined && (kept === undefined || isElsewhere(kept, draft))) fault('passwordNeeded')
      const unsaved = {
        ...columnsOf(draft),
        id: '',
        tenant_id: viewer.tenantId,
        owner_id: viewer.userId,
        password_sealed: Buffer.alloc(0),
        tenant_key_id: '',
      }
      const directory: DirectoryRecord = { ...unsaved, seen: 0, delta: '', version: 1, night_began_at: null, created_at: now }
      const password = given ?? (kept === undefined ? '' : (await passwordOf(house, kept)).toString('utf8'))
      const { steps, people } = await tryDirectory(house, directory, password)
      return { steps, people: people.map(presentFound) }
    },

    async plan({ directoryId }, { viewer, house, fault }) {
      needPeople(viewer)
      const directory = (await withTenancy(house, viewer.tenantId, (tenancy) => findDirectory(tenancy, directoryId))) ?? fault('missing')
      const planner: Planner = { userId: viewer.userId, name: actorOf(viewer) }
      const { id } = await reached(fault, () => makePlan(house, directory, planner))
      return { planId: id }
    },

    async readPlan({ planId, kind, page, size }, { tenancy, viewer, fault }) {
      const run = (await findRun(tenancy, planId)) ?? fault('missing')
      const directory = (await findDirectory(tenancy, run.directory_id)) ?? fault('missing')
      const { rows, total } = await findChangePage(tenancy, planId, kind, { page, size })
      const counts = await countChanges(tenancy, planId)
      const sum = (state: string) => counts.filter((one) => one.state === state).reduce((all, { count }) => all + count, 0)
      const kinds: Record<string, number> = {}
      for (const one of counts) kinds[one.kind] = (kinds[one.kind] ?? 0) + one.count
      const readable = attributeAccess.readable(viewer, 'all')
      const signInNames = new Map<string, string>()
      for (const row of rows)
        if (row.kind === 'new' && row.state === 'planned')
          signInNames.set(
            String(row.position),
            await signInNameOf(
              tenancy,
              row.fields.map(({ name, there }) => [name, there] as const),
            ),
          )
      const granted = new Map<string, Granted>()
      for (const row of rows) granted.set(String(row.position), await grantedBy(row, directory, tenancy))
      return {
        rows: rows.map((row) => ({
          id: String(row.position),
          kind: row.kind,
          name: row.name,
          ...(row.user_id === null ? {} : { userId: row.user_id }),
          fields: row.fields.filter(({ name }) => readable.has(name)),
          ...(readable.has('roles') ? (granted.get(String(row.position)) ?? noGrants) : noGrants),
          ...(row.kind === 'new' && row.state === 'planned' && readable.has('username')
            ? { signInName: signInNames.get(String(row.position)) ?? '' }
            : {}),
          state: row.state,
          says: row.says,
        })),
        total,
        run: presentRun(run, directory.name),
        mayApprove: waits(run) && mayChangePeople(viewer) && (directory.approval !== 'second' || run.planned_by !== viewer.userId),
        facets: { kind: kinds },
        done: sum('done'),
        failed: sum('failed'),
      }
    },

    async approve({ planId }, { tenancy, viewer, house, emit, fault, afterCommit }) {
      needPeople(viewer)
      const run = (await lockRun(tenancy, planId)) ?? fault('missing')
      const directory = (await findDirectory(tenancy, run.directory_id)) ?? fault('missing')
      if (!waits(run)) fault('decided')
      if ((await findLastRuns(tenancy)).get(run.directory_id)?.id !== run.id) fault('newer')
      if (directory.approval === 'second' && run.planned_by === viewer.userId) fault('anotherPerson')
      await updateRun(tenancy, planId, { status: 'running', approved_by: viewer.userId, approver: actorOf(viewer) })
      emit('approved', { directoryId: directory.id, planId }, directory.id)
      afterCommit(() => house.wake(directories.jobs.run))
      return {}
    },

    async discard({ planId }, { tenancy, emit, fault }) {
      const run = (await lockRun(tenancy, planId)) ?? fault('missing')
      if (!waits(run)) fault('decided')
      await updateRun(tenancy, planId, { status: 'discarded', ended_at: tenancy.now })
      emit('discarded', { directoryId: run.directory_id, planId }, run.directory_id)
      return {}
    },

    writes: readWrites,
    planWrite,
    runWrite,

    async listUsers({ directoryId, text }, { viewer, house, fault }) {
      const all = await withTenancy(house, viewer.tenantId, listDirectories)
      const directory = (directoryId === undefined ? all[0] : all.find(({ id }) => id === directoryId)) ?? fault('missing')
      const found = await reached(fault, () => findSome(house, directory, text.trim(), mostFew))
      const readable = attributeAccess.readable(viewer, 'all')
      // An attribute that the viewer may not read of people here is not read from where they come from.
      const shown = (name: string, value: string): string => (readable.has(name) ? value : '')
      return {
        users: found.map(({ dn, values: { displayName = '', uid = '', mobile = '', pager = '', csn = '' }, tempCsn, tempCsnExpiry }) => ({
          distinguishedName: dn,
          displayName,
          uid: shown('uid', uid),
          mobile: shown('mobile', mobile),
          pager: shown('pager', pager),
          csn: shown('csn', csn),
          tempCsn: shown('tempCsn', tempCsn),
          tempCsnExpiry: shown('tempCsnExpiry', tempCsnExpiry),
        })),
      }
    },
  },
  {
    offers: [
      offer(dependants, {
        record: 'role',
        async count(db, tenantId, roleId, now) {
          const naming = (await listDirectories({ db, tenantId, now })).filter(({ group_roles }) =>
            group_roles.some((one) => one.roleId === roleId),
          )
          return [{ kind: roleUses.directories.label, count: naming.length, path: to(directories.screens.sync) }]
        },
      }),
      offer(personMoves, { kind: 'directory', count: countEntries, move: moveEntry }),
      offer(personalData, deleteEntriesOf, (db, tenantId, userId) => deleteWritesOf(db, tenantId, 'user_id', userId)),
      offer(networkAddresses, async (tenancy) =>
        (await listDirectories(tenancy)).map(({ name, host, port }) => ({
          direction: 'out' as const,
          purpose: 'directory' as const,
          name,
          address: `${host}:${port}`,
        })),
      ),
    ],
    jobs: {
      nightly: {
        async inTenancy({ house, tenantId, until }) {
          const due = await withTenancy(house, tenantId, async (tenancy) => {
            const before = new Date(tenancy.now.getTime() - keepRuns)
            await deleteOldRuns(tenancy, before)
            await deleteOldWrites(tenancy, before)
            return listDueByNight(tenancy, new Date(tenancy.now.getTime() - nightMilliseconds))
          })
          let isMore = false
          await forEach(due, async (directory) => {
            if (performance.now() > until) isMore = true
            else await syncByItself(house, directory)
          })
          if (isMore) return 'more'
        },
      },
      run: {
        async inTenancy({ house, tenantId, until }) {
          for (const run of await withTenancy(house, tenantId, listRunning)) if ((await goOn(house, run, until)) === 'more') return 'more'
        },
      },
    },
  },
)

const presentFound = ({ dn, values: { givenName = '', familyName = '', emailAddress = '' } }: Read) => ({
  dn,
  name: `${givenName} ${familyName}`.trim(),
  emailAddress,
})

/** Whether the kept password would go elsewhere: whoever could lead it to another server would have it. */
const isElsewhere = (row: DirectoryRecord, draft: Draft): boolean =>
  row.host !== draft.host ||
  row.port !== draft.port ||
  row.bind_dn !== draft.bindDn ||
  row.roots !== draft.roots ||
  row.login_host !== draft.loginHost ||
  (row.base_dn !== draft.baseDn && draft.kind === 'entra') ||
  row.kind !== draft.kind

type Few = Read & { tempCsn: string; tempCsnExpiry: string }

/** A few people as the directory has them now. */
async function findSome(house: House, directory: DirectoryRecord, text: string, most: number): Promise<Few[]> {
  const none = { tempCsn: '', tempCsnExpiry: '' }
  if (directory.kind === 'entra')
    return (await withGraph(house, directory, (graph) => findFewAccounts(graph, text, most))).map((read) => ({ ...read, ...none }))
  const found = await withDirectory(house, directory, (client) => findFew(client, directory, text, most))
  return found.flatMap((entry) => {
    const read = readEntry(entry, directory)
    const one = (name: keyof typeof none) => (typeof entry[name] === 'string' ? entry[name] : '')
    return read === undefined ? [] : [{ ...read, tempCsn: one('tempCsn'), tempCsnExpiry: one('tempCsnExpiry') }]
  })
}

/** Plans in the night, and runs what needs nobody's approval; a directory that does not answer keeps no other from its turn. */
async function syncByItself(house: House, directory: DirectoryRecord): Promise<void> {
  const { tenant_id: tenantId, owner_id: owner } = directory
  await withTenancy(house, tenantId, (tenancy) => updateNight(tenancy, directory.id))
  try {
    const { id, held, changes } = await makePlan(house, directory, { name: `Directory ${directory.name}` }, true)
    const rights = await withTenancy(house, tenantId, (tenancy) => rightsLater(tenancy, { userId: owner }, ['userAdd', 'userEdit']))
    if (held || (changes > 0 && (directory.approval !== 'none' || rights === undefined))) return
    await withTenancy(house, tenantId, (tenancy) => updateRun(tenancy, id, { status: 'running' }))
    house.wake(directories.jobs.run)
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
  }
}

const waits = ({ status }: RunRecord): boolean => status === 'planned' || status === 'held'

const mayChangePeople = ({ permission: { api } }: Viewer): boolean => api.includes('userAdd') && api.includes('userEdit')

function needPeople(viewer: Viewer): void {
  if (!mayChangePeople(viewer)) throw commonFault('denied', { params: { permission: 'userAdd, userEdit' } })
}

const presentRun = (run: RunRecord, directory: string) => ({
  id: run.id,
  directoryId: run.directory_id,
  directory,
  status: run.status,
  reason: run.reason,
  seen: run.seen,
  planner: run.planner,
  approver: run.approver,
  plannedAt: run.planned_at.toISOString(),
  ...(run.ended_at === null ? {} : { endedAt: run.ended_at.toISOString() }),
})

type Draft = {
  name: string
  kind: DirectoryRecord['kind']
  host: string
  port: number
  security: DirectoryRecord['security']
  roots: string
  bindDn: string
  baseDn: string
  filter: string
  mapping: DirectoryRecord['mapping']
  groupRoles: { group: string; roleId: string }[]
  approval: DirectoryRecord['approval']
  invite: boolean
  nightly: boolean
  writable: boolean
  peopleBase: string
  loginHost: string
}

const columnsOf = (draft: Draft): Omit<DirectoryDraft, 'password_sealed' | 'tenant_key_id' | 'owner_id'> => ({
  name: draft.name,
  kind: draft.kind,
  host: draft.host,
  port: draft.port,
  security: draft.security,
  roots: draft.roots,
  bind_dn: draft.bindDn,
  base_dn: draft.baseDn,
  filter: draft.filter,
  mapping: draft.mapping,
  group_roles: draft.groupRoles,
  approval: draft.approval,
  invite: draft.invite,
  nightly: draft.nightly,
  writable: draft.writable,
  people_base: draft.peopleBase,
  login_host: draft.loginHost,
})

type Refuse = (
  code: 'refused' | 'refusedLogin' | 'domainNeeded' | 'filterFault' | 'invalid',
  detail?: { params?: Record<string, string>; fields?: { field: string; says: string }[] },
) => never

function readsAsFilter(text: string): boolean {
  try {
    FilterParser.parseString(text)
    return true
  } catch {
    return false
  }
}

/** Not in a transaction: it asks name servers. */
async function judge(draft: Draft, viewer: Viewer, house: House, fault: Refuse): Promise<void> {
  const { host, port } = draft
  const names = Object.entries(dnFaults(draft)).map(([field, says]) => ({ field, says }))
  const isFilter = readsAsFilter(draft.filter)
  if (names.length > 0)
    fault('invalid', { fields: isFilter ? names : [...names, { field: 'filter', says: configFaults.filterFault.says }] })
  if (!isFilter) fault('filterFault')
  const isEntra = draft.kind === 'entra'
  const use = isEntra ? 'provider' : 'directory'
  if (isEntra && draft.writable && draft.peopleBase === '') fault('domainNeeded')
  const refusal = await house.outward.refusal({ tenantId: viewer.tenantId, use, host, port })
  if (refusal !== undefined) fault('refused', { params: { reason: refusal.message } })
  if (!isEntra || draft.loginHost === '') return
  const refusedLogin = await house.outward.refusal({ tenantId: viewer.tenantId, use, host: draft.loginHost, port })
  if (refusedLogin !== undefined) fault('refusedLogin', { params: { reason: refusedLogin.message } })
}

/** A group gives only roles that whoever says so could give by hand. */
async function judgeRoles(
  { groupRoles }: Draft,
  { db, tenantId }: Tenancy,
  viewer: Viewer,
  fault: (code: 'unknownRole' | 'beyond', detail?: { params?: Record<string, string> }) => never,
): Promise<void> {
  const ids = [...new Set(groupRoles.map(({ roleId }) => roleId))]
  const roles = await findRoles(db, tenantId, ids)
  if (roles.length !== ids.length) fault('unknownRole')
  for (const role of roles) if (beyondInRoles([role], viewer.permission).length > 0) fault('beyond', { params: { role: role.name } })
}

async function sealPassword(house: House, { db, tenantId, now }: Tenancy, id: string, password: string) {
  const { sealed, tenantKeyId } = await sealForTenant(db, house, {
    tenantId,
    purpose: passwordPurpose(id),
    plain: Buffer.from(password),
    now,
  })
  return { password_sealed: sealed, tenant_key_id: tenantKeyId }
}

/** What the directory does wrong is told to whoever asked. */
async function reached<T>(
  fault: (code: 'unreachable', detail: { params: Record<string, string> }) => never,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    return fault('unreachable', { params: { reason: error.message } })
  }
}
