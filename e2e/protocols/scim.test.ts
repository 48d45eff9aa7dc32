// SCIM judged by two suites that others wrote: scim2-tester, through scim2-cli, and scim-sanity. A complaint of either that is not known here fails.

import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedClient, type ScimClient } from '#areas/scim/server/client.fixture.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

const judges = ['scim2-cli==0.6.0', 'scim2-tester==0.5.2', 'scim-sanity==0.7.4']
const tools = openToolFolder()

/** Why the judges cannot be had here; undefined where they can. They are no dependency: they are fetched for this run alone. */
function fetchJudges(): string | undefined {
  const made = spawnSync('python3', ['-m', 'venv', tools.path('python')], { encoding: 'utf8' })
  if (made.status !== 0) return 'Python cannot make an environment, so SCIM was not judged'
  const fetched = spawnSync(tools.path('python/bin/pip'), ['install', '--quiet', ...judges], { encoding: 'utf8' })
  return fetched.status === 0 ? undefined : `The suites for SCIM cannot be fetched, so it was not judged: ${fetched.stderr.slice(-300)}`
}

const missing = fetchJudges()
if (missing !== undefined) console.warn(missing)

const house = await useHouse({ background: true })
let client: ScimClient
beforeAll(async () => {
  client = await connectedClient(await house.tenancy('Judged'), house.origin)
})
afterAll(() => tools.remove())

/** The server answers from this process: it must not wait for the judge. */
const run = (name: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      tools.path(`python/bin/${name}`),
      args,
      { env: { ...process.env, NO_COLOR: '1', ...more }, maxBuffer: 16 * 1024 * 1024 },
      (_error, stdout, stderr) => {
        const said = stdout + stderr
        mkdirSync('node_modules/.cache/tests', { recursive: true })
        writeFileSync(`node_modules/.cache/tests/${name}.txt`, said)
        resolve(said)
      },
    )
  })

test.runIf(missing === undefined)('scim2-tester finds nothing wrong', { timeout: 300_000 }, async () => {
  const said = await run('scim2', ['--url', `${house.origin}/scim/v2`, 'test'], {
    SCIM_CLI_HEADERS: `Authorization: Bearer ${client.secret}`,
  })
  expect(said.match(/^SUCCESS/gm)?.length ?? 0).toBeGreaterThan(20)
  expect(said.match(/^(?:ERROR|CRITICAL|DEVIATION).*/gm) ?? []).toEqual([])
})

test.runIf(missing === undefined)('scim-sanity finds nothing wrong, strictly and as Entra', { timeout: 300_000 }, async () => {
  for (const profile of [[], ['--profile', 'entra']]) {
    const said = await run('scim-sanity', [
      'probe',
      `${house.origin}/scim/v2`,
      '--token',
      client.secret,
      '--json-output',
      '--i-accept-side-effects',
      ...profile,
    ])
    const { results } = JSON.parse(said.slice(said.indexOf('{'))) as { results: { name: string; status: string; message: string }[] }
    expect(results.filter(({ status }) => status === 'pass').length).toBeGreaterThan(20)
    expect(results.filter(({ status }) => status === 'fail' || status === 'error')).toEqual([])
  }
})
