// Opens the house: database, schema, rooms, doors, in that order; `close` goes the other way.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyContract } from '#core/contract/contract.ts'
import { openBatches } from './batch.ts'
import { startBus } from './bus.ts'
import { connect, enterTenant, type ConnectionSettings, type Database } from './database.ts'
import { doneEvent, writeEvents, type EventTables, type NewEvent } from './events.ts'
import type { House, TenantWork } from './house.ts'
import { openDoors, type Doors } from './http.ts'
import { openInstallationKey } from './installation-key.ts'
import { startJobs, type Jobs } from './jobs.ts'
import type { Identify } from './life.ts'
import { makeLog } from './log.ts'
import { openMemory } from './memory.ts'
import { makeMetrics } from './metrics.ts'
import { migrate } from './migrate.ts'
import { describeApi } from './openapi.ts'
import { plainAnswers } from './plain.ts'
import { watchRefusals } from './refusals.ts'
import type { Room } from './serve.ts'
import type { Settings } from './settings.ts'
import { serveStatic } from './static.ts'

export type OpenOptions = {
  settings: Settings
  connection: ConnectionSettings
  rooms: readonly Room[]
  identify: Identify
  now?: () => Date
  port?: number
  /** The recurring jobs and the bus; a test of one room can do without. */
  background?: boolean
  /** Already migrated, as a cloned test database is. */
  migrated?: boolean
  warn?(sentence: string): void
}

export type OpenHouse = { house: House; doors: Doors; rooms: readonly Room[]; close(): Promise<void> }

const pathOf = (path: string) => join(import.meta.dirname, '../..', path)

export const version: string = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).version

export const migrationFolders = (rooms: readonly Room[]) => [
  { room: 'core', folder: pathOf('core/server/migrations') },
  ...rooms.map(({ area }) => ({ room: area, folder: pathOf(`areas/${area}/server/migrations`) })),
]

export async function openHouse(options: OpenOptions): Promise<OpenHouse> {
  const { settings, connection, rooms } = options
  if (options.migrated !== true) await migrate(connection, migrationFolders(rooms))
  const log = makeLog(settings.logLevel)
  const app = connect(connection, 'chancery_app')
  const auditor = connect(connection, 'chancery_auditor', 6)
  const installationKey = await openInstallationKey({ mayMake: !(await holdsInstallation(auditor.database)), keyFile: settings.keyFile, dataDirectory: settings.dataDirectory, warn: options.warn ?? ((sentence) => log.warn(sentence)) })
  let jobs: Jobs | undefined
  const house: House = {
    settings,
    version,
    log,
    now: options.now ?? (() => new Date()),
    database: app.database,
    auditor,
    batches: openBatches(connection, mostBatches),
    memory: openMemory(auditor.pool, log),
    installationKey,
    work: (tenantId, actor, action) => workAsHouse(house, tenantId, actor, action),
    jobs: rooms.flatMap((room) => room.jobs),
    wake: (name) => jobs?.wake(name),
  }
  for (const room of rooms) await room.start?.(house)
  const bus = options.background === false ? undefined : startBus(house, rooms)
  if (options.background !== false) jobs = await startJobs(house, connection)
  const refusals = watchRefusals(house)
  const metrics = makeMetrics()
  metrics.gauge('chancery_database_connections', 'Connections of this process to the database.', () => app.pool.totalCount)
  metrics.gauge('chancery_events_undelivered', 'Events that a room refused to the end and that are set aside; counted by the server that delivers.', () => bus?.undelivered() ?? 0)
  for (const { name, help, read } of rooms.flatMap((room) => room.gauges ?? [])) metrics.samples(name, help, () => read(house))
  const doors = await openDoors({
    house,
    rooms,
    identify: options.identify,
    refusals,
    metrics,
    files: serveStatic(pathOf('dist/console')),
    plain: plainAnswers(house, metrics, () => describeApi(rooms, version, settings.origin)),
    ...(options.port === undefined ? {} : { port: options.port }),
  })
  return {
    house,
    doors,
    rooms,
    async close() {
      await doors.close()
      await refusals.close().catch((error: unknown) => log.error({ error }, 'refused attempts could not be summed up'))
      await jobs?.stop()
      await bus?.stop()
      for (const room of rooms.toReversed()) await room.stop?.(house)
      await house.memory.close()
      await Promise.all([app.close(), auditor.close(), house.batches.close()])
    },
  }
}

/** Whatever was done here left an event. */
const holdsInstallation = async (auditor: Database): Promise<boolean> => (await auditor.withTables<EventTables>().selectFrom('events').select('id').limit(1).executeTakeFirst()) !== undefined

/** Two lanes of two ways each, and as many for what is read in one breath. */
const mostBatches = 8

/** One transaction of one tenant on the house's own behalf, with its event rows. */
async function workAsHouse<T>(house: House, tenantId: string, actor: { userId?: string | undefined; name: string; address?: string }, action: (work: TenantWork) => Promise<T>): Promise<T> {
  const events: NewEvent[] = []
  const actions: (() => void | Promise<void>)[] = []
  const now = house.now()
  const result = await house.database.transaction().execute(async (db) => {
    await enterTenant(db, tenantId)
    const value = await action({
      db,
      emitFor: ({ area }: AnyContract) => (name, body, about) => void events.push(doneEvent(now, actor, { area, name, body, about })),
      afterCommit: (after) => void actions.push(after),
    })
    await writeEvents(db, tenantId, events)
    return value
  })
  if (events.length > 0) house.memory.forget()
  for (const after of actions) await after()
  return result
}
