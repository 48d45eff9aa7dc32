// SCIM judged by two suites that others wrote: scim2-tester, through scim2-cli, and scim-sanity. A complaint of either that does not stand here with its reason fails,
// and so does one that stands here and does not come any more.

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

/**
 * What scim2-tester complains of and we mean. It writes a complex value and wants it back byte for byte, which RFC 7644 3.5.2 does not ask for: a server
 * may keep what it was told in its own form.
 */
const testersOpinions: [complaint: RegExp, reason: string][] = [
  [
    /^check_(?:add|replace)_attribute PATCH modify\(\) returned unexpected value for 'name'\. Patched value: formatted=None/,
    'name.formatted is readOnly here, as the schema says: it is made of the other two, and comes back with them',
  ],
  [
    /^check_remove_attribute PATCH modify\(\) did not remove attribute 'name'/,
    'A person without any name would be an empty line in each list: the name falls back to that of the account',
  ],
  [
    /^check_remove_attribute PATCH modify\(\) did not remove attribute 'active'/,
    'An account can be used or not, and there is no third: what is not said of it stays as it is',
  ],
  [
    /^check_(?:add|replace)_attribute PATCH modify\(\) returned unexpected value for 'emails'\..*primary=False.*primary=True/,
    'One address is kept, which is the primary one, whatever a client said of it',
  ],
]

test.runIf(missing === undefined)('scim2-tester finds nothing wrong besides what we mean', async () => {
  const said = await run('scim2', ['--url', `${house.origin}/scim/v2`, 'test'], {
    SCIM_CLI_HEADERS: `Authorization: Bearer ${client.secret}`,
  })
  expect(said.match(/^SUCCESS/gm)?.length ?? 0).toBeGreaterThan(20)
  const complaints = said
    .split(/^(?=(?:SUCCESS|ERROR|CRITICAL|DEVIATION|SKIPPED) )/m)
    .flatMap((part) => (/^(?:ERROR|CRITICAL|DEVIATION) /.test(part) ? [part.replace(/^\w+ /, '').replace(/\s+/g, ' ').trim()] : []))
  expect(complaints.filter((complaint) => !testersOpinions.some(([known]) => known.test(complaint)))).toEqual([])
})

/** What scim-sanity complains of and we mean, by the name and the message of its check. */
const sanitysOpinions: [name: string, message: string, reason: string][] = [
  [
    'PATCH /Groups/{id}',
    'Expected HTTP 200, got 204 (RFC 7644 §3.3); Response body is empty',
    'RFC 7644 3.5.2 lets a server answer 204 where no attributes are named: who changes a part of 50,000 members does not want them all back',
  ],
  [
    'PATCH /Groups/{id} add member',
    'Expected 200, got 400',
    'The suite adds the member "fake-member-id", which there is not: what would be told as a member later must be one',
  ],
  ['PATCH /Groups/{id} remove members', 'Expected 200, got 204', 'As with the first'],
]

test.runIf(missing === undefined)('scim-sanity finds nothing wrong besides what we mean, strictly and as Entra', async () => {
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
    const complaints = results.filter(({ status }) => status === 'fail' || status === 'error')
    expect(complaints.map(({ name, message }) => [name, message])).toEqual(sanitysOpinions.map(([name, message]) => [name, message]))
  }
})
