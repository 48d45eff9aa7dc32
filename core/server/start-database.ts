// The database behind the settings: the one of DATABASE_URL, or the embedded one.

import { startEmbeddedDatabase } from '#core/database/embedded.ts'
import type { ConnectionSettings } from './database.ts'
import type { Settings } from './settings.ts'

export type StartedDatabase = { connection: ConnectionSettings; stop(): Promise<void> }

export async function startDatabase(
  settings: Pick<Settings, 'databaseUrl' | 'dataDirectory'>,
  log: (sentence: string) => void,
): Promise<StartedDatabase> {
  if (settings.databaseUrl !== undefined) return { connection: { connectionString: settings.databaseUrl }, stop: async () => {} }
  const embedded = await startEmbeddedDatabase({ dataDirectory: settings.dataDirectory, log })
  return { connection: embedded.connection, stop: () => embedded.stop() }
}
