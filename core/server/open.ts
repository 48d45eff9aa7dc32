// Opens the house: database, schema, rooms, doors, in that order; `close` goes the other way. One that runs without doors does the work behind them:
// the jobs, the bus, the numbering of the log.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jobName, type AnyContract } from '#core/contract/contract.ts'
import { gatherOffers } from '#core/contract/slots.ts'
import type { AfterCommit } from './after-commit.ts'
import { openBatches } from './batch.ts'
import { startBus } from './bus.ts'
import { openCache } from './cache.ts'
import { commitWork } from './commit.ts'
import { connect, withRoles, enterTenant, type ConnectionSettings, type Database } from './database.ts'
import { startDeliveries } from './deliveries/dispatch.ts'
import { deliveryKinds } from './deliveries/kinds.ts'
import { doneEvent, type EventTables, type NewEvent } from './events.ts'
import type { House, TenantWork } from './house.ts'
import { openDoors, type Doors } from './http.ts'
import { openInstallationKey, watchInstallationKey } from './installation-key.ts'
import { endAside } from './job-aside.ts'
import { startJobs, type Jobs } from './jobs.ts'
import type { Identify } from './life.ts'
import { makeLog } from './log.ts'
import { machineAnswers } from './machines.ts'
import { makeMetrics, type Counts, type Metrics } from './metrics.ts'
import { migrate } from './migrate.ts'
import { describeApi } from './openapi.ts'
import { openOutward } from './outward/outward.ts'
import { watchRefusals } from './refusals.ts'
import type { Room } from './serve.ts'
import type { Settings } from './settings.ts'
import { serveStatic } from './static.ts'

export type RunOptions = {
  settings: Settings
  connection: ConnectionSettings
  rooms: readonly Room[]
  now?: () => Date
  /** Why the embedded database does not run now. */
  databaseFault?: () => string | undefined
  /** The recurring jobs and the bus; a test of one room can do without. */
  background?: boolean
  /** Already migrated, as a cloned test database is. */
  migrated?: boolean
  /** The processes beside this one that work as one server with it. */
  others?: Others
  warn?(sentence: string): void
}

export type OpenOptions = RunOptions & { identify: Identify; port?: number }

export type Others = {
  /** Wakes the job of that name where jobs are run. */
  wake(job: string): void
  /** What each of them has counted. */
  counts(): Promise<readonly Counts[]>
}

export type RunningHouse = { house: House; metrics: Metrics; rooms: readonly Room[]; close(): Promise<void> }
export type OpenHouse = RunningHouse & { doors: Doors }

const pathOf = (path: string) => join(import.meta.dirname, '../..', path)

export const version: string = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).version

export const migrationFolders = (rooms: readonly Room[]) => [
  { room: 'core', folder: pathOf('core/server/migrations') },
  ...rooms.map(({ area }) => ({ room: area, folder: pathOf(`areas/${area}/server/migrations`) })),
]

/** The house with its doors closed. */
export async function runHouse(options: RunOptions): Promise<RunningHouse> {
  const { settings, rooms, others } = options
  if (options.migrated !== true) await migrate(options.connection, migrationFolders(rooms), { version })
  const log = makeLog(settings.logLevel)
  const connection = await withRoles(options.connection)
  if (connection.rolesSignIn !== true && others === undefined) options.warn?.(ownersConnections)
  const most = mostConnections(settings.processes)
  const app = connect(connection, 'chancery_app', most.app)
  const offers = gatherOffers(rooms)
  const kinds = options.background === false ? [] : offers(deliveryKinds)
  const auditor = connect(connection, 'chancery_auditor', most.auditor)
  const held = connect(connection, 'chancery_auditor', mostHeld)
  const installationKey = await openInstallationKey({
    mayMake: !(await holdsInstallation(auditor.database)),
    keyFile: settings.keyFile,
    dataDirectory: settings.dataDirectory,
    warn: options.warn ?? ((sentence) => log.warn(sentence)),
  })
  let jobs: Jobs | undefined
  const now = options.now ?? (() => new Date())
  const house: House = {
    settings,
    version,
    log,
    now,
    outward: openOutward({ settings, log, now }),
    database: app.database,
    auditor,
    held: held.pool,
    batches: openBatches(connection, most.batches),
    cache: openCache(held.pool, log),
    installationKey,
    work: (tenantId, actor, action) => workAsHouse(house, tenantId, actor, action),
    contracts: rooms.map((room) => room.contract),
    databaseFault: options.databaseFault ?? (() => undefined),
    jobs: rooms.flatMap((room) => room.jobs),
    offers,
    wake: (job) => (jobs ?? others)?.wake(jobName(job)),
  }
  for (const room of rooms) await room.start?.(house)
  const bus = options.background === false ? undefined : startBus(house, rooms)
  if (options.background !== false) jobs = await startJobs(house, options.connection)
  const deliveries = kinds.length === 0 ? undefined : startDeliveries(house, kinds)
  const metrics = makeMetrics(others?.counts)
  // One of several processes says it for all.
  const keyWatch =
    others === undefined
      ? watchInstallationKey(settings, installationKey, (sentence) => {
          log.error(sentence)
          options.warn?.(sentence)
        })
      : undefined
  metrics.gauge('chancery_database_connections', 'Connections to the database.', () => app.pool.totalCount)
  metrics.gauge(
    'chancery_events_undelivered',
    'Events that a room refused to the end and that are set aside; counted by the server that delivers.',
    () => bus?.undelivered() ?? 0,
  )
  metrics.counter('chancery_delivery_attempts_total', 'Attempts to deliver, by kind and outcome.', () => deliveries?.samples() ?? [])
  metrics.counter('chancery_outward_total', 'Outgoing connections, by use and outcome.', house.outward.samples)
  metrics.gauge('chancery_installation_key_missing', '1 while the key file is gone or another: the next start would be refused.', () =>
    keyWatch?.missing() === undefined ? 0 : 1,
  )
  for (const { name, help, read } of rooms.flatMap((room) => room.gauges ?? [])) metrics.samples(name, help, () => read(house))
  return {
    house,
    metrics,
    rooms,
    async close() {
      keyWatch?.stop()
      await deliveries?.stop()
      await jobs?.stop()
      await endAside(house)
      await bus?.stop()
      for (const room of rooms.toReversed()) await room.stop?.(house)
      await house.cache.close()
      await Promise.all([app.close(), auditor.close(), held.close(), house.batches.close()])
    },
  }
}

export async function openHouse({ identify, port, ...options }: OpenOptions): Promise<OpenHouse> {
  const running = await runHouse(options)
  const { house, metrics, rooms } = running
  const refusals = watchRefusals(house)
  const doors = await openDoors({
    house,
    rooms,
    identify,
    refusals,
    metrics,
    files: serveStatic(pathOf('dist/console')),
    forMachines: machineAnswers(house, metrics, () => describeApi(rooms, version, options.settings.origin)),
    ...(port === undefined ? {} : { port }),
  })
  house.outward.closePort(doors.port)
  return {
    ...running,
    doors,
    async close() {
      await doors.close()
      await refusals.close().catch((error: unknown) => house.log.error({ error }, 'refused attempts could not be summed up'))
      await running.close()
    },
  }
}

const ownersConnections =
  'PostgreSQL does not let chancery_app in with the password of DATABASE_URL, so connections are those of the owner, who lays most rights down. docs/running.md says how to let it in.'

/** Whatever was done here left an event. */
const holdsInstallation = async (auditor: Database): Promise<boolean> =>
  (await auditor.withTables<EventTables>().selectFrom('events').select('id').limit(1).executeTakeFirst()) !== undefined

/**
 * Connections of this process, beside those that are held. Batches: two lanes of two ways each, and as many for what is read in one breath. Where
 * several processes share the work they share the database as well: at most 230 of the 240 that the embedded one allows.
 */
const mostConnections = (processes: number): { app: number; auditor: number; batches: number } =>
  processes === 1 ? { app: 20, auditor: 4, batches: 8 } : { app: Math.max(6, Math.floor(60 / (processes + 1))), auditor: 3, batches: 4 }

/** Only as many are made as rooms listen or have a lease: four in each process today, and three more where work is done that one server does. */
const mostHeld = 32

/** One transaction of one tenant on the house's own behalf, with its event rows. */
async function workAsHouse<T>(
  house: House,
  tenantId: string,
  actor: { userId?: string | undefined; name: string; address?: string },
  action: (work: TenantWork) => Promise<T>,
): Promise<T> {
  const events: NewEvent[] = []
  const actions: AfterCommit[] = []
  const now = house.now()
  return commitWork(house, actions, async (db, write) => {
    await enterTenant(db, tenantId)
    const value = await action({
      db,
      tenancy: { db, tenantId, now },
      emitFor:
        ({ area }: AnyContract) =>
        (name, body, about) =>
          void events.push(doneEvent(now, actor, { area, name, body, about })),
      afterCommit: (after) => void actions.push(after),
    })
    await write(tenantId, events)
    return value
  })
}
