import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConnectionSettings } from '#core/server/database.ts'
import { allSigned } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { audit } from '../contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'chancery-audit-'))
const execute = promisify(execFile)

/** What `npm run audit:verify -- ...args` says, and how it ends. */
async function verify(...args: string[]): Promise<{ code: number; said: string }> {
  const environment = { ...process.env, DATABASE_URL: addressOf(house.connection) }
  try {
    const { stdout } = await execute('node', ['tools/audit-verify.ts', ...args], { env: environment })
    return { code: 0, said: stdout }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, said: stdout + stderr }
  }
}

const addressOf = (settings: ConnectionSettings): string =>
  'connectionString' in settings
    ? settings.connectionString
    : `postgres://${settings.user}@localhost/${settings.database}?host=${encodeURIComponent(settings.host)}`

const house = await useHouse()
const ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
beforeAll(async () => {
  for (let count = 0; count < 10; count += 1) await (await ada.fetch('/api2/Monitoring-v1/ExportAuditEvents')).text()
  await allSigned(house)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

describe('npm run audit:verify', () => {
  test('says that a log is intact, and exports it to be verified elsewhere', async () => {
    const file = join(folder, 'log.ndjson')
    expect(await verify('--export', file)).toEqual({
      code: 0,
      said: expect.stringMatching(/^Intact: \d+ events, \d+ checkpoints\.\nRoot: /),
    })
    expect((await verify('--from', file)).code).toBe(0)
    const forged = join(folder, 'forged.ndjson')
    writeFileSync(forged, readFileSync(file, 'utf8').replace('"area":"audit"', '"area":"other"'))
    expect(await verify('--from', forged)).toEqual({ code: 1, said: expect.stringMatching(/^NOT INTACT: Row \d+ was edited/) })
  })

  test('holds the log against a checkpoint and a key that were kept elsewhere', async () => {
    const { checkpoint, verifierKey } = await ada.call(audit.calls.status, {})
    const kept = join(folder, 'checkpoint.txt')
    writeFileSync(kept, checkpoint?.note ?? '')
    expect((await verify('--checkpoint', kept, '--key', verifierKey)).code).toBe(0)
    writeFileSync(kept, (checkpoint?.note ?? '').replace(`\n${checkpoint?.size}\n`, `\n${(checkpoint?.size ?? 0) + 1}\n`))
    expect(await verify('--checkpoint', kept)).toEqual({ code: 1, said: expect.stringContaining('not valid') })
  })

  test('names an event that was deleted', async () => {
    await house.asOwner('set row_security = off; delete from events where sequence = 3')
    expect(await verify()).toEqual({ code: 1, said: expect.stringMatching(/^NOT INTACT: .*row 3 is missing \(rowMissing\)/) })
  })

  test('and the nightly verification says the same, where everybody who reads the log sees it', async () => {
    await house.runJob(audit.jobs.verify)
    expect((await ada.call(audit.calls.status, {})).verification).toMatchObject({
      intact: false,
      rows: 3,
      message: expect.stringContaining('row 3 is missing'),
    })
  })

  test('does not call a log intact whose key is gone', async () => {
    const file = join(folder, 'keyless.ndjson')
    await house.asOwner('delete from audit_key')
    expect(await verify('--export', file)).toEqual({ code: 1, said: expect.stringMatching(/^NOT INTACT: .*\(keyMissing\)/) })
    writeFileSync(file, readFileSync(join(folder, 'log.ndjson'), 'utf8').replace(/^.*\n/, ''))
    expect(await verify('--from', file)).toEqual({ code: 1, said: expect.stringContaining('(keyMissing)') })
  })

  test('ends with 2 where there is no log to read', async () => {
    expect((await verify('--from', join(folder, 'nothing'))).code).toBe(2)
    expect((await verify('--nonsense')).code).toBe(2)
  })
})
