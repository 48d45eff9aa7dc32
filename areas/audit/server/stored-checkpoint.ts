// Keeps the last checkpoint that this server signed where whoever owns the database cannot change it: in memory, and sealed by the installation key in
// a file of the data folder. Against it the sequencer proves the tree before it signs a longer one.

import { rmSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { House } from '#core/server/house.ts'

export type StoredCheckpoint = {
  /** Gives the signed notes that are kept, the one in memory first. Throws where the file was changed, or belongs to another installation key. */
  notes(): Promise<string[]>
  /** Gives the one in memory. */
  last(): string | undefined
  keep(note: string): Promise<void>
}

const purpose = 'audit_checkpoint'
export const checkpointFile = (dataDirectory: string): string => join(dataDirectory, 'audit-checkpoint.sealed')

export function keepCheckpoints({ settings, installationKey, log }: Pick<House, 'settings' | 'installationKey' | 'log'>): StoredCheckpoint {
  const file = checkpointFile(settings.dataDirectory)
  let inMemory: string | undefined
  let warned = false
  return {
    async notes() {
      const sealed = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
        throw error
      })
      const inFile = sealed === undefined ? undefined : installationKey.unseal(sealed, purpose).toString('utf8')
      return [...new Set([inMemory, inFile])].filter((note) => note !== undefined)
    },
    last: () => inMemory,
    async keep(note) {
      inMemory = note
      try {
        await replaceFile(file, installationKey.seal(Buffer.from(note, 'utf8'), purpose))
        warned = false
      } catch (error) {
        if (!warned) log.warn({ error }, `the last checkpoint cannot be kept in ${file}; it is kept in memory alone`)
        warned = true
      }
    },
  }
}

/** Forgets the file: after a restore the log may rightly be a shorter one. */
export const forgetStoredCheckpoint = (dataDirectory: string): void => rmSync(checkpointFile(dataDirectory), { force: true })

/** Writes the file whole or not at all, also when the power goes. */
async function replaceFile(file: string, content: Uint8Array): Promise<void> {
  const draft = await open(`${file}.draft`, 'w', 0o600)
  try {
    await draft.writeFile(content)
    await draft.sync()
  } finally {
    await draft.close()
  }
  await rename(`${file}.draft`, file)
}
