// The database behind the settings: the one of DATABASE_URL, or the embedded one.

import { startEmbeddedDatabase } from '#core/database/embedded.ts'
import type { ConnectionSettings } from './database.ts'
import type { Settings } from './settings.ts'

export type StartedDatabase = {
  connection: ConnectionSettings
  /** Why it does not run now, in words that may be shown to everybody: the whole reason is in the log. */
  fault(): string | undefined
  stop(): Promise<void>
}

export async function startDatabase(
  settings: Pick<Settings, 'databaseUrl' | 'dataDirectory'>,
  log: (sentence: string) => void,
): Promise<StartedDatabase> {
  if (settings.databaseUrl !== undefined)
    return { connection: { connectionString: settings.databaseUrl }, fault: () => undefined, stop: async () => {} }
  const embedded = await startEmbeddedDatabase({ dataDirectory: settings.dataDirectory, log })
  return {
    connection: embedded.connection,
    fault: () => {
      const fault = embedded.fault()
      return fault && `The embedded database does not start (${fault.code}) and is tried again. The log of the server says why`
    },
    stop: () => embedded.stop(),
  }
}
