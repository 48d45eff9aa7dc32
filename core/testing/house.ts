// A whole running house for a test file: its own database, its own port, a clock that the test moves. Tests go through the front door.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { addRole, setRoles } from '#areas/roles/service.ts'
import { addToken, findViewer, openSession } from '#areas/sessions/service.ts'
import { makeTenancy } from '#areas/setup/service.ts'
import { managementTenancy } from '#areas/tenancy/service.ts'
import { activateDirectly, addPerson } from '#areas/users/service.ts'
import type { Job } from '#core/contract/contract.ts'
import { permissions, type Permission } from '#core/contract/permission-labels.ts'
import { inTenant, type ConnectionSettings } from '#core/server/database.ts'
import { runNow } from '#core/server/jobs.ts'
import { openHouse, type OpenHouse } from '#core/server/open.ts'
import type { Room } from '#core/server/serve.ts'
import { readSettings } from '#core/server/settings.ts'
import { forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { caller, type Caller } from './caller.ts'
import { onDatabase, runStatement } from './cluster.ts'
import { countDatabaseTime } from './database-time.ts'
import { keepStatements } from './statements.ts'

export { CallRefused, refusal, type Caller } from './caller.ts'

/** A folder in which a house makes its own, and how the name of its database begins. */
export type HousePlace = { folder: string; database: string }

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where shared houses are; `shared.ts` tells it. */
    shared: HousePlace
  }
}

export type TestPerson = Caller & {
  id: string
  tenantId: string
  username: string
  token: string
  /** The same person in a browser: a session of its own, proved at its beginning; `strong` by more than the password. */
  session(options?: { strong?: boolean }): Promise<Caller>
}
export type PersonDraft = {
  permissions: readonly Permission[] | 'all'
  username?: string
  emailAddress?: string
  givenName?: string
  familyName?: string
}
export type TestTenancy = { id: string; name: string; administrator: TestPerson; person(draft: PersonDraft): Promise<TestPerson> }

export type TestHouse = OpenHouse & {
  origin: string
  connection: ConnectionSettings
  signedOut: Caller
  clock: { now(): Date; advance(milliseconds: number): void }
  /** The first is the management tenancy, which manages the others. */
  tenancy(name: string): Promise<TestTenancy>
  runJob(job: Job): Promise<void>
  fetch: Caller['fetch']
  /** A statement as the owner of the tables: for tampering. */
  asOwner(statement: string): Promise<void>
}

export type TestHouseOptions = {
  background?: boolean
  settings?: Record<string, string>
  now?: Date
  /** Rooms of the test's own, to try what no room has yet. */
  moreRooms?: readonly Room[]
  /** The test makes tables by itself, which the second engine has not: what it sends is not read there. */
  ownTables?: true
}

const day = 86_400_000

/** For tests that count days: none of them ends meanwhile, and OpenSSL's own clock finds valid what is issued then. */
export const noonOfYesterday = (): Date => new Date(Date.now() - (Date.now() % day) - day / 2)

/** A house for all tests of a file, closed after the last: `const house = await useHouse()`. */
export async function useHouse(options?: TestHouseOptions): Promise<TestHouse> {
  const house = await openTestHouse(options)
  afterAll(() => house.close())
  return house
}

/** What a file may do with a house that the next file goes on with: nothing is moved or closed that both would see. */
export type SharedHouse = Omit<TestHouse, 'clock' | 'close' | 'connection'> & { clock: Pick<TestHouse['clock'], 'now'> }

let shared: Promise<SharedHouse> | undefined

/** Of tenancies and people there is one of a name in an installation: what the files before called theirs is free again. */
const freeNames = `
  update tenancies set name = id::text where kind = 'tenant';
  delete from usernames using tenancies where tenancies.id = tenant_id and kind = 'tenant'`

/**
 * The house of all files of this worker that need no more of it than tenancies of their own, below a management tenancy that is nobody's: once a
 * file. One of a file's own costs 0.7 processor seconds more, nearly all of them PostgreSQL's. It stands until the worker ends, which tells nobody:
 * `shared.ts` removes what is left of it.
 */
export async function useSharedHouse(): Promise<SharedHouse> {
  const house = await (shared ??= openSharedHouse())
  await house.asOwner(freeNames)
  return house
}

async function openSharedHouse(): Promise<SharedHouse> {
  const house = await openTestHouse({}, inject('shared'))
  await house.tenancy('Management')
  return house
}

export async function openTestHouse(
  options: TestHouseOptions = {},
  place: HousePlace = { folder: tmpdir(), database: 'chancery_test' },
): Promise<TestHouse> {
  const folder = mkdtempSync(join(place.folder, 'chancery-house-'))
  const cluster = inject('cluster')
  const name = `${place.database}_${randomUUID().replaceAll('-', '')}`
  await runStatement(cluster, `create database ${name} template ${inject('template')} strategy file_copy`)
  const connection = onDatabase(cluster, name)
  // What a room of the test's own sends is about tables that no other database has.
  if (options.moreRooms === undefined && options.ownTables === undefined) keepStatements(name)
  const settings = readSettings({ CHANCERY_LOG: 'silent', CHANCERY_DATA: folder, CHANCERY_AGENT_PORT: '0', ...options.settings })

  let moved = (options.now?.getTime() ?? Date.now()) - Date.now()
  const clock = { now: () => new Date(Date.now() + moved), advance: (milliseconds: number) => void (moved += milliseconds) }
  const opened = await openHouse({
    settings,
    connection,
    rooms: [...rooms, ...(options.moreRooms ?? [])],
    identify: findViewer,
    port: 0,
    migrated: true,
    background: options.background ?? false,
    now: clock.now,
    warn: () => {},
  })
  // Client and server share this process: where a test keeps it busy for seconds, an idle connection would end under a request on its way.
  opened.doors.server.keepAliveTimeout = 120_000
  const origin = `http://localhost:${opened.doors.port}`
  const { house } = opened
  const signedOut = caller(origin, {})
  let count = 0

  async function person(tenantId: string, draft: PersonDraft): Promise<TestPerson> {
    const now = clock.now()
    const username = draft.username ?? `person${(count += 1)}.${tenantId.slice(-4)}`
    return inTenant(house.database, tenantId, async (db) => {
      const names = draft.permissions === 'all' ? Object.keys(permissions) : [...draft.permissions]
      const id = await addPerson(
        db,
        tenantId,
        {
          username,
          givenName: draft.givenName ?? 'Ada',
          familyName: draft.familyName ?? `Person ${count}`,
          emailAddress: draft.emailAddress ?? `${username}@example.org`,
          origin: 'form',
        },
        now,
      )
      if (id === undefined) throw new Error(`The username ${username} is taken`)
      await activateDirectly(db, tenantId, id, now)
      await setRoles(db, tenantId, id, [
        await addRole(db, tenantId, { name: `Role of ${username}`, description: '', view: names, menu: names, api: names }, now),
      ])
      return signIn(tenantId, id, username)
    })
  }

  async function signIn(tenantId: string, id: string, username: string): Promise<TestPerson> {
    const { token } = await inTenant(house.database, tenantId, (db) =>
      addToken(
        db,
        { tenantId, userId: id, name: 'test', scopes: [], expiresAt: new Date(clock.now().getTime() + 3650 * 86_400_000) },
        clock.now(),
      ),
    )
    const session: TestPerson['session'] = async ({ strong = true } = {}) => {
      const { secret } = await inTenant(house.database, tenantId, (db) =>
        openSession(db, { tenantId, userId: id, stage: 'open', strong, address: '', userAgent: '' }, clock.now()),
      )
      return caller(origin, { cookie: `${sessionCookie}=${secret}`, 'x-xsrf-token': forgeryToken(secret) })
    }
    return { id, tenantId, username, token, session, ...caller(origin, { authorization: `Bearer ${token}` }) }
  }

  return {
    ...opened,
    origin,
    connection,
    signedOut,
    clock,
    fetch: signedOut.fetch,
    asOwner: (statement) => runStatement(connection, statement),
    runJob: (job) => runNow(house, job),
    async tenancy(tenancyName) {
      const now = clock.now()
      const username = `admin${(count += 1)}`
      const made = await house.database.transaction().execute(async (db) => {
        const management = await managementTenancy(db)
        const draft = {
          name: tenancyName,
          kind: management === undefined ? ('management' as const) : ('tenant' as const),
          managedBy: management?.id,
          bannerColour: '#1f6feb',
        }
        const ids = await makeTenancy(
          db,
          draft,
          { username, givenName: 'Grace', familyName: 'Administrator', emailAddress: `${username}@example.org` },
          now,
        )
        if (ids !== undefined) await activateDirectly(db, ids.tenancyId, ids.userId, now)
        return ids
      })
      if (made === undefined) throw new Error(`The username ${username} is taken`)
      return {
        id: made.tenancyId,
        name: tenancyName,
        administrator: await signIn(made.tenancyId, made.userId, username),
        person: (draft) => person(made.tenancyId, draft),
      }
    },
    async close() {
      await countDatabaseTime(cluster, name)
      await opened.close()
      await runStatement(cluster, `drop database if exists ${name} with (force)`)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
