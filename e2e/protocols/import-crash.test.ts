// Minutes, because the queue waits before it takes a server for dead: so it stands with the checks of their own.

import pg from 'pg'
import { expect, test } from 'vitest'
import { profiles } from '#areas/profiles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'

const { prepareImport, checkImport, startImport, readImport } = profiles.calls
/** Six batches, each of which is one commit. */
const rows = 3_000
/** The queue gives up what a dead server was at after a minute or two. */
const slow = { timeout: 240_000, interval: 50 }

test('an import of people goes on where it was after kill -9 of the server, in the check and in the run, and takes each row once', async () => {
  const server = await openCrashServer()
  try {
    const { requester: ada } = await setUpSite(server)
    const lines = Array.from({ length: rows }, (_, at) => `crowd${at},Given ${at},Family ${at},crowd${at}@example.org`)
    const file = Buffer.from(`username,givenName,familyName,emailAddress\n${lines.join('\n')}\n`).toString('base64')
    const { importId, mapping } = await ada.call(prepareImport, { fileName: 'crowd.csv', file })
    const killedIn = async (begin: () => Promise<unknown>, status: 'checking' | 'running') => {
      // However fast the machine is, it gets no further than to the rows that somebody else holds.
      const holder = new pg.Client(server.connection)
      await holder.connect()
      await holder.query('begin')
      await holder.query('select 1 from import_rows where position > $1 for update', [rows / 2])
      await begin()
      await expect.poll(async () => midway(await ada.call(readImport, { importId }), status), slow).toBe(true)
      await server.kill('server')
      await holder.end()
      await server.start()
      const { status: after, position } = await ada.call(readImport, { importId })
      return { after, position }
    }
    expect(await killedIn(() => ada.call(checkImport, { importId, mapping }), 'checking')).toMatchObject({ position: expect.any(Number) })
    await expect.poll(async () => (await ada.call(readImport, { importId })).status, slow).toBe('checked')
    expect(await ada.call(readImport, { importId })).toMatchObject({ good: rows, faulty: 0, fresh: rows })

    expect(await killedIn(() => ada.call(startImport, { importId }), 'running')).toMatchObject({ after: 'running' })
    await expect.poll(async () => (await ada.call(readImport, { importId })).status, slow).toBe('done')
    expect(await ada.call(readImport, { importId })).toMatchObject({ applied: rows, failed: 0 })
    expect((await ada.call(users.calls.search, { origin: 'import' })).total).toBe(rows)
  } finally {
    await server.remove()
  }
})

/** Some of it is done, and not all. */
function midway({ status, position }: { status: string; position: number }, wanted: string): boolean {
  if (status === wanted) return position > 0 && position < rows
  if (status !== 'uploaded' && status !== 'checking' && status !== 'checked' && status !== 'running')
    throw new Error(`The import is ${status}`)
  return false
}
