// Changes of accounts in directories, as people ask for them: drawn up and shown, then made by whoever saw them.

import { randomUUID } from 'node:crypto'
import { beyondOf } from '#areas/roles/power.ts'
import { attributeAccess } from '#areas/users/attributes.ts'
import { findAttributes, findPerson } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import type { CallContext } from '#core/server/serve.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import type { directories } from '../contract.ts'
import { needsTarget, type WriteAction } from '../write-texts.ts'
import { DirectoryError, readEntry, withDirectory, type Read } from './connection.ts'
import { drawInEntra } from './entra-write.ts'
import { withGraph } from './entra.ts'
import { deleteEntry, entriesOf, findDirectory, listDirectories, updateEntry, type DirectoryRecord } from './store.ts'
import { endWrite, findWrite, insertWrite, listWritesOf, takeWrite, type WriteRecord } from './write-store.ts'
import { draw, readBack, type Drawn, type Refusal, type Subject, type Wanted } from './write.ts'

type Context<Name extends 'writes' | 'planWrite' | 'runWrite'> = CallContext<typeof directories, Name>
const mostShown = 20

const present = (write: WriteRecord, { name, kind }: Pick<DirectoryRecord, 'name' | 'kind'>) => ({
  id: write.id,
  directoryId: write.directory_id,
  directory: name,
  kind,
  action: write.action,
  target: write.target,
  dn: write.dn,
  changes: write.changes,
  state: write.state,
  says: write.says,
  planner: write.planner,
  plannedAt: write.planned_at.toISOString(),
})

export async function readWrites({ userId }: { userId: string }, { tenancy, fault }: Context<'writes'>) {
  if ((await findPerson(tenancy.db, tenancy.tenantId, userId)) === undefined) fault('missing')
  const all = await listDirectories(tenancy)
  const linked = new Set((await entriesOf(tenancy, userId)).map(({ directory_id }) => directory_id))
  const writes = await listWritesOf(tenancy, userId, mostShown)
  return {
    directories: all.filter(({ writable }) => writable).map(({ id, name, kind }) => ({ id, name, kind, linked: linked.has(id) })),
    writes: writes.flatMap((write) => {
      const directory = all.find(({ id }) => id === write.directory_id)
      return directory === undefined ? [] : [present(write, directory)]
    }),
  }
}

type Judge = (code: 'missing' | 'ownAccount' | 'beyondPerson' | 'notWritable') => never

/** The person, and what the directory calls the account; refuses who holds more than the viewer, and a directory that is not open for changes. */
async function subjectOf(
  house: House,
  tenancy: Tenancy,
  { userId, directoryId }: { userId: string; directoryId: string },
  viewer: Viewer,
  fault: Judge,
): Promise<{ directory: DirectoryRecord; subject: Subject }> {
  const { db, tenantId } = tenancy
  const directory = (await findDirectory(tenancy, directoryId)) ?? fault('missing')
  const person = (await findPerson(db, tenantId, userId)) ?? fault('missing')
  if (!directory.writable) fault('notWritable')
  // A group of the directory may give what nobody takes for themselves.
  if (userId === viewer.userId) fault('ownAccount')
  if ((await beyondOf(house, tenancy, userId, viewer)).length > 0) fault('beyondPerson')
  const kept = (await findAttributes(tenancy, [userId])).get(userId) ?? {}
  const guid = (await entriesOf(tenancy, userId)).find((entry) => entry.directory_id === directoryId)?.guid
  return { directory, subject: { person, kept, guid, readable: attributeAccess.readable(viewer, 'all') } }
}

/** The database keeps the members of an object in an order of its own. */
const signOf = ({ dn, changes }: Pick<WriteRecord, 'dn' | 'changes'>): string =>
  JSON.stringify([dn, changes.map(({ name, before, after }) => [name, before, after])])

type DrawnAnywhere = Omit<Drawn, 'perform'> & { perform(): Promise<Read | undefined> }

/** Draws up, with the way to the directory open so that it can be made at once. What `perform` answers is the account that was made. */
function withDrawn<T>(
  house: House,
  directory: DirectoryRecord,
  subject: Subject,
  wanted: Wanted,
  work: (drawn: DrawnAnywhere | Refusal) => Promise<T>,
): Promise<T> {
  if (directory.kind === 'entra') return withGraph(house, directory, async (graph) => work(await drawInEntra(graph, subject, wanted)))
  return withDirectory(house, directory, async (client) => {
    const drawn = await draw(client, directory, subject, wanted)
    if (typeof drawn === 'string') return work(drawn)
    return work({
      ...drawn,
      async perform() {
        await drawn.perform(client)
        const made = wanted.action === 'create' ? await readBack(client, drawn.dn) : undefined
        return made === undefined ? undefined : readEntry(made, directory)
      },
    })
  })
}

type Asked = { userId: string; directoryId: string; action: WriteAction; target: string }

export async function planWrite({ userId, directoryId, action, target }: Asked, { viewer, house, fault, transact }: Context<'planWrite'>) {
  if (needsTarget(action) && target === '') fault('targetNeeded')
  const wanted = { action, target: needsTarget(action) ? target : '' }
  const { directory, subject } = await withTenancy(house, viewer.tenantId, (tenancy) =>
    subjectOf(house, tenancy, { userId, directoryId }, viewer, fault),
  )
  const drawn = await withDrawn(house, directory, subject, wanted, (drawn) => Promise.resolve(drawn)).catch((error: unknown) => {
    if (!(error instanceof DirectoryError)) throw error
    return fault('unreachable', { params: { reason: error.message } })
  })
  if (typeof drawn === 'string') return fault(drawn)
  const id = randomUUID()
  return transact(async ({ tenancy }) => {
    await insertWrite(tenancy, {
      id,
      directory_id: directoryId,
      user_id: userId,
      ...wanted,
      dn: drawn.dn,
      changes: drawn.changes,
      planned_by: viewer.userId,
      planner: actorOf(viewer),
    })
    return present((await findWrite(tenancy, id)) ?? fault('missing'), directory)
  })
}

export async function runWrite({ id }: { id: string }, { viewer, house, fault, transact }: Context<'runWrite'>) {
  const { write, directory, subject } = await transact(async ({ tenancy, emit }) => {
    const write = (await findWrite(tenancy, id)) ?? fault('missing')
    if (write.planned_by !== viewer.userId) fault('anotherPerson')
    const { user_id: userId, directory_id: directoryId, action, dn, changes } = write
    const judged = await subjectOf(house, tenancy, { userId, directoryId }, viewer, fault)
    if (!(await takeWrite(tenancy, id))) fault('decided')
    // On record before the directory is asked: what a dead server left behind is seen as begun.
    emit('writing', { userId, directoryId, action, dn, attributes: changes.map(({ name }) => name) }, userId)
    return { write, ...judged }
  })
  const { action, target, user_id: userId, directory_id: directoryId } = write
  const outcome = await withDrawn(house, directory, subject, { action, target }, async (drawn) => {
    const isSame = typeof drawn === 'object' && signOf(drawn) === signOf(write)
    if (!isSame) return { says: say`It is otherwise now than when it was planned. Plan it again` }
    return { made: await drawn.perform() }
  }).catch((error: unknown) => {
    if (!(error instanceof DirectoryError)) throw error
    return { says: error.message }
  })
  return transact(async ({ tenancy, emit }) => {
    if ('says' in outcome) {
      await endWrite(tenancy, id, 'failed', outcome.says)
      emit('notWritten', { userId, directoryId, action, reason: outcome.says }, userId)
    } else {
      await endWrite(tenancy, id, 'done', '')
      const { made } = outcome
      // The next sync finds the account as it is now; that it is disabled there disables nobody here.
      if (made !== undefined)
        await updateEntry(tenancy, {
          directory_id: directoryId,
          guid: made.guid,
          user_id: userId,
          hash: '',
          disabled: made.disabled,
          disabled_at: null,
        })
      if (action === 'delete' && subject.guid !== undefined) await deleteEntry(tenancy, directoryId, subject.guid)
      emit('wrote', { userId, directoryId, action, dn: write.dn }, userId)
    }
    return present((await findWrite(tenancy, id)) ?? fault('missing'), directory)
  })
}
