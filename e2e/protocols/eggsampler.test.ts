// The Go suite of eggsampler/acme, written by others for Boulder and Pebble, against a directory of ours that stands where Pebble would. What it misses, and why,
// stands in docs/acme-clients.md; another miss fails here.

import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { openNameServer, type LittleNameServer, type Zone } from '#core/server/outward/dns.fixture.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { setUp } from '../support/people.ts'
import { startProduct, type Product } from '../support/product.ts'
import { openSecureFront, type SecureFront } from '../support/secure-front.ts'

const suite = 'github.com/eggsampler/acme/v3@v3.7.0'

/** Why the suite cannot be had here; undefined where it can. It is no dependency: it is fetched for this run alone. */
function findSuite(): { folder: string } | { says: string } {
  const asked = spawnSync('go', ['mod', 'download', '-json', suite], { encoding: 'utf8', cwd: '/' })
  if (asked.error !== undefined) return { says: 'Go is not installed, so the suite of eggsampler/acme was not run' }
  const answer = JSON.parse(asked.stdout === '' ? '{}' : asked.stdout) as { Dir?: string; Error?: string }
  return answer.Dir === undefined
    ? { says: `The suite of eggsampler/acme cannot be fetched: ${answer.Error ?? 'no answer'}` }
    : { folder: answer.Dir }
}

const found = findSuite()
if ('says' in found) console.warn(found.says)

/** Tests of the suite that do not hold here, each with its reason in docs/acme-clients.md. */
const known: readonly string[] = ['TestAutoCert_GetCertificate2', 'TestClient_AccountKeyChange', 'TestClient_Fetch']

const bench = openToolFolder()
const texts = new Map<string, string>()
const files = new Map<string, string>()
const broken = new Set<string>()
let dns: LittleNameServer
let front: SecureFront
let product: Product
const servers: Server[] = []

/** Where the suite says what its names are to answer: the interface of pebble-challtestsrv. */
const commands: Record<string, (asked: { host?: string; value?: string; token?: string; content?: string }) => void> = {
  'set-txt': ({ host = '', value = '' }) => void texts.set(bare(host), value),
  'clear-txt': ({ host = '' }) => void texts.delete(bare(host)),
  'add-http01': ({ token = '', content = '' }) => void files.set(token, content),
  'del-http01': ({ token = '' }) => void files.delete(token),
  'set-servfail': ({ host = '' }) => void broken.add(bare(host)),
  'clear-servfail': ({ host = '' }) => void broken.delete(bare(host)),
}
const bare = (host: string): string => host.replace(/\.$/, '').toLowerCase()

const zoneOf = (name: string): Zone => {
  if (broken.has(name)) return 'broken'
  const text = texts.get(name)
  return text === undefined ? [{ type: 'A', value: '127.0.0.1' }] : [{ type: 'TXT', value: text }]
}

async function serve(port: number, answer: Parameters<typeof createServer>[1]): Promise<void> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
}

/** The suite knows its server by this address alone. */
const pebblePort = 14_000
const commandPort = 8_055

async function openDirectory(): Promise<void> {
  dns = await openNameServer({})
  dns.names.get = zoneOf
  front = await openSecureFront(bench, pebblePort)
  const httpPort = await freePort()
  await serve(httpPort, (incoming, outgoing) => {
    const content = files.get((incoming.url ?? '').split('/').at(-1) ?? '')
    outgoing.writeHead(content === undefined ? 404 : 200)
    outgoing.end(content ?? '')
  })
  await serve(commandPort, (incoming, outgoing) => {
    let body = ''
    incoming.on('data', (part: Buffer) => (body += part.toString()))
    incoming.on('end', () => {
      commands[(incoming.url ?? '').slice(1)]?.(JSON.parse(body))
      outgoing.end()
    })
  })
  product = await startProduct({
    CHANCERY_ORIGIN: front.origin,
    CHANCERY_TRUST_PROXY: '127.0.0.1',
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  const { administrator } = await setUp(product, 'ada', {
    organisation: 'Northwind',
    rootName: 'Northwind Root',
    issuingName: 'Northwind Issuing',
  })
  const caId = (await administrator.call(authorities.calls.list, {})).rows.find(
    ({ friendlyName }) => friendlyName === 'Northwind Issuing',
  )?.id
  const preset = templatePresets.find(({ templateName }) => templateName === 'TLSServer')
  if (preset === undefined || caId === undefined) throw new Error('There is no preset, or no authority')
  const { says: _says, ...draft } = preset
  const { templateId } = await administrator.call(templates.calls.add, {
    ...draft,
    templateName: 'AcmeServer',
    caId,
    issueApprovers: 0,
    rules: { keys: ['P-256'], allowedDomains: [], wildcards: true, maximumNames: 20 },
  })
  const { url } = await administrator.call(acme.calls.addDirectory, {
    name: 'For the suite',
    httpPort,
    profiles: [{ name: 'default', description: 'The only one', templateId }],
    eabRequired: false,
    challenges: ['http-01', 'dns-01', 'dns-account-01'],
    authorizationDays: 0,
    termsOfService: 'https://example.org/terms',
  })
  front.leadTo(product.origin, (path) => (path === '/dir' ? new URL(url).pathname : path))
}

beforeAll(async () => {
  if ('folder' in found) await openDirectory()
})
afterAll(async () => {
  await product?.stop()
  await front?.close()
  await dns?.close()
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  bench.remove()
})

test.runIf('folder' in found)('The suite of eggsampler/acme holds but for what is known', { timeout: 1_200_000 }, async () => {
  const folder = bench.path('suite')
  if ('folder' in found) cpSync(found.folder, folder, { recursive: true })
  spawnSync('chmod', ['-R', 'u+w', folder])
  mkdirSync(bench.path('pebble/test/certs'), { recursive: true })
  writeFileSync(bench.path('pebble/test/certs/pebble.minica.pem'), bench.read('front-root.pem'))
  const said = await new Promise<string>((resolve) =>
    execFile(
      'go',
      ['test', '-count=1', '-timeout', '15m', '-json', '.'],
      { cwd: folder, env: { ...process.env, PEBBLE_PATH: bench.path('pebble'), GOFLAGS: '-mod=mod' }, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    ),
  )
  const outcomes = said.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    const { Action, Test } = JSON.parse(line) as { Action: string; Test?: string }
    return Test === undefined || Test.includes('/') || !['pass', 'fail', 'skip'].includes(Action) ? [] : [{ name: Test, outcome: Action }]
  })
  const by = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).map(({ name }) => name)
  mkdirSync('node_modules/.cache/tests', { recursive: true })
  writeFileSync('node_modules/.cache/tests/eggsampler.txt', said)
  writeFileSync(
    'node_modules/.cache/tests/eggsampler.json',
    JSON.stringify({ passed: by('pass'), failed: by('fail'), skipped: by('skip') }, null, 2),
  )
  expect(by('pass').length).toBeGreaterThan(60)
  expect(by('fail').toSorted()).toEqual([...known].toSorted())
})
