// `npm run -s bench -- NAME [--json] [--rounds N] [--rows N] [--data FOLDER]`: one benchmark, its figures and the machine that they were measured on. Each is a file beside
// this one.

import { cpus, totalmem, release } from 'node:os'
import { parseArgs } from 'node:util'

export type BenchOptions = {
  /** How often, where a bench goes in rounds; its own number where absent. */
  rounds?: number | undefined
  /** How many rows a bench about many rows makes; its own number where absent. */
  rows?: number | undefined
  /** A folder that such rows are kept in, for the next run. */
  data?: string | undefined
  /** Progress, for whoever watches. */
  say(sentence: string): void
}

export type BenchResult = {
  figures: Record<string, number>
  /** One of ours to one of another's, measured in the same run. */
  ratios: Record<string, number>
  /** What must hold did not. */
  failed?: boolean
}

export type Bench = { run(options: BenchOptions): Promise<BenchResult> }

const benches: Record<string, { says: string; load(): Promise<Bench> }> = {
  template: { says: 'one leaf built and signed in process, beside the bare signature', load: () => import('./template.ts') },
  issue: { says: 'certificates a second through the front door, by processor time, beside OpenSSL', load: () => import('./issue.ts') },
  bare: {
    says: 'the same load on a server that only verifies, signs and writes the rows: what of `issue` is not ours',
    load: () => import('./bare.ts'),
  },
  ocsp: { says: 'OCSP answers by processor time, signed on demand and kept, beside OpenSSL and cfssl', load: () => import('./ocsp.ts') },
  acme: {
    says: 'orders by ACME from the first request to the fetched chain, by processor time, beside pebble',
    load: () => import('./acme.ts'),
  },
  scep: {
    says: 'enrolments by SCEP with RSA keys, by processor time, beside scepserver of micromdm',
    load: () => import('./scep.ts'),
  },
  crl: { says: 'a revocation list of a million from the database to the served file, beside OpenSSL', load: () => import('./crl.ts') },
  search: {
    says: 'the inventory at a million certificates: pages, text, counts, and the list opened in Chromium, beside plain SQL',
    load: () => import('./search.ts'),
  },
  tickets: {
    says: 'the tickets of a desk at a million: pages, filters, numbers and text, beside the bar of 100 ms',
    load: () => import('./tickets.ts'),
  },
  users: {
    says: 'the people of a tenancy at a million: pages, states and text, beside the bar of 100 ms',
    load: () => import('./users.ts'),
  },
  console: {
    says: 'Home and the inventory in Chromium on a slow telephone: largest paint, interaction, movement, beside their bars',
    load: () => import('./console.ts'),
  },
  signin: {
    says: 'twenty sign-ins a second by password and passkey: event-loop delay, and whether times tell which names exist',
    load: () => import('./signin.ts'),
  },
  card: {
    says: 'a command to a card over the link of the security client, alone and with 50 cards at once',
    load: () => import('./card.ts'),
  },
  ipam: { says: 'a /8 filled with addresses: next free, page and map, and none given twice', load: () => import('./ipam.ts') },
  devices: { says: 'devices from a file of which half is wrong; page and search', load: () => import('./devices.ts') },
  tree: {
    says: '20,000 organisations from a file; a level, a name that is typed, and the preview of a move',
    load: () => import('./tree.ts'),
  },
  crash: { says: 'kill -9 of server and database during issuing; broken invariants', load: () => import('./crash.ts') },
}

const usage = [
  'Usage: npm run -s bench -- NAME [--json] [--rounds N] [--rows N] [--data FOLDER]',
  '',
  ...Object.entries(benches).map(([name, { says }]) => `  ${name.padEnd(10)} ${says}`),
].join('\n')

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, rounds: { type: 'string' }, rows: { type: 'string' }, data: { type: 'string' } },
  })
  const [name = '', ...others] = positionals
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
  if (bench === undefined || others.length > 0)
    throw new UsageError(name === '' ? usage : `There is no bench "${positionals.join(' ')}".\n\n${usage}`)
  const [rounds, rows] = [wholeNumber('rounds', values.rounds), wholeNumber('rows', values.rows)]
  // Progress goes beside the answer, so that the answer is all that stands on standard output.
  const {
    figures,
    ratios,
    failed = false,
  } = await (await bench.load()).run({ rounds, rows, data: values.data, say: (sentence) => console.error(sentence) })
  console.log(
    values.json ? JSON.stringify({ name, machine: machine(), figures, ratios }, undefined, 2) : table(name, { ...figures, ...ratios }),
  )
  return failed ? 1 : 0
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(Number.isInteger(value) && value > 0)) throw new UsageError(`--${name} is "${text}" and should be a whole number from 1.`)
  return value
}

class UsageError extends Error {
  override name = 'UsageError'
}

const machine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${release()}`,
  node: process.version,
})

function table(name: string, rows: Record<string, number>): string {
  const width = Math.max(...Object.keys(rows).map((key) => key.length))
  const { processor, cores, node } = machine()
  return [
    `${name} on ${cores} x ${processor}, Node ${node}`,
    ...Object.entries(rows).map(([key, value]) => `  ${key.padEnd(width)}  ${value.toLocaleString('en-GB').padStart(12)}`),
  ].join('\n')
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error)
    process.exit(error instanceof UsageError ? 2 : 1)
  },
)
