// Twenty sign-ins a second, by password and by passkey in turn: how long the server's event loop keeps everybody else waiting meanwhile. Then, one after
// another, what one of each takes, and whether the time of a refusal tells which names exist.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { passkeys } from '#areas/passkeys/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { caller } from '#core/testing/caller.ts'
import { openAuthenticator } from '#standards/webauthn/authenticator.fixture.ts'
import { invite, setUp, type Person } from '../e2e/support/people.ts'
import { startProduct, type Product } from '../e2e/support/product.ts'
import { median, rounded } from './machine.ts'
import type { Bench } from './run.ts'

const people = 8
const perSecond = 20
const secondsOfARound = 10
const triesEach = 5
/** The bars. */
const longestDelay = 50
const mostTold = 5

type Holder = { person: Person; key: ReturnType<typeof openAuthenticator> }

export const run: Bench['run'] = async ({ rounds = 3, say }) => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-loop-'))
  const product = await startProduct({
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('loop-delay.ts', import.meta.url))}`,
    BENCH_LOOP_DELAY: folder,
    // So that each attempt can come from an address of its own, as the attempts of many people do.
    CHANCERY_TRUST_PROXY: '127.0.0.1,::1',
  })
  try {
    const holders = await openAccounts(product)
    say(`${holders.length} people have a password and a passkey`)
    const delays: number[] = []
    const late: number[] = []
    await load(product, holders, 3)
    for (let round = 1; round <= rounds; round += 1) {
      forget(folder)
      const answered = await load(product, holders, secondsOfARound)
      await wait(300)
      const delay = delayOf(folder)
      delays.push(delay.p99)
      late.push(percentile(answered, 0.99))
      say(
        `round ${round} of ${rounds}: loop delay p99 ${rounded(delay.p99, 1)} ms, most ${rounded(delay.max, 1)} ms, answers p99 ${rounded(late.at(-1) ?? 0)} ms`,
      )
    }
    const byPassword = await timed(holders, (holder) => withPassword(product, holder))
    const byPasskey = await timed(holders, (holder) => withPasskey(product, holder))
    // In turn, so that whatever else the machine does meets both.
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let at = 0; at < holders.length * triesEach; at += 1) {
      unknown.push(await timeOf(() => refused(product, `nobody${at}.${Date.now()}`)))
      known.push(await timeOf(() => refused(product, holders[at % holders.length]?.person.username ?? '')))
    }
    const figures = {
      loopDelayP99ms: rounded(median(delays), 1),
      answersP99ms: rounded(median(late)),
      passwordMs: rounded(median(byPassword), 1),
      passkeyMs: rounded(median(byPasskey), 1),
      knownNameMs: rounded(median(known), 1),
      unknownNameMs: rounded(median(unknown), 1),
    }
    const told = Math.abs(median(known) - median(unknown))
    return {
      figures,
      ratios: { passkeyToPassword: rounded(median(byPassword) / median(byPasskey), 2) },
      failed: figures.loopDelayP99ms > longestDelay || told > mostTold,
    }
  } finally {
    await product.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openAccounts(product: Product): Promise<Holder[]> {
  const { administrator } = await setUp(product, 'grace')
  const site = { origin: product.origin, rpId: new URL(product.origin).hostname }
  const holders: Holder[] = []
  for (let at = 0; at < people; at += 1) {
    const person = await invite(product, administrator, `person${at}`, 'User')
    const key = openAuthenticator(site)
    const userId = (await person.call(sessions.calls.bootstrap, {})).viewer?.id ?? ''
    const { credentialCreationOptionsJson } = await person.call(passkeys.calls.prepare, { userId })
    await person.call(passkeys.calls.register, {
      credentialCreationResponseJson: JSON.stringify(key.create(JSON.parse(credentialCreationOptionsJson))),
      customName: 'Bench',
    })
    holders.push({ person, key })
  }
  return holders
}

let visitors = 0
/** Somebody who comes from an address of their own. */
function visitor(product: Product) {
  visitors += 1
  return caller(product.origin, { 'x-forwarded-for': `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}` })
}

const withPassword = async (product: Product, { person: { username, password } }: Holder): Promise<unknown> =>
  visitor(product).call(sessions.calls.login, { username, password })

async function withPasskey(product: Product, { key }: Holder): Promise<unknown> {
  const anybody = visitor(product)
  const response = await anybody.fetch(passkeys.endpoints.prepareAuthentication.path, { method: 'POST' })
  const challenge = Buffer.from(await response.arrayBuffer()).toString('base64url')
  return anybody.call(passkeys.calls.signIn, key.get({ challenge }))
}

const refused = async (product: Product, username: string): Promise<unknown> =>
  visitor(product)
    .call(sessions.calls.login, { username, password: 'not the password of anybody' })
    .catch((error: unknown) => error)

/** So many a second, whether those before are answered or not. Answers how long each took. */
async function load(product: Product, holders: readonly Holder[], seconds: number): Promise<number[]> {
  const began = performance.now()
  const under: Promise<number>[] = []
  for (let at = 0; at < seconds * perSecond; at += 1) {
    await wait(Math.max(0, began + (at * 1000) / perSecond - performance.now()))
    const holder = holders[at % holders.length]
    if (holder !== undefined) under.push(timeOf(() => (at % 2 === 0 ? withPassword(product, holder) : withPasskey(product, holder))))
  }
  return Promise.all(under)
}

async function timed(holders: readonly Holder[], work: (holder: Holder) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < holders.length * triesEach; at += 1) {
    const holder = holders[at % holders.length]
    if (holder !== undefined) times.push(await timeOf(() => work(holder)))
  }
  return times
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

type Delay = { p50: number; p99: number; max: number }

const filesOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.json'))

/** Of the process that kept others waiting longest. */
function delayOf(folder: string): Delay {
  const all = filesOf(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Delay)
  return all.toSorted((a, b) => b.p99 - a.p99)[0] ?? { p50: Number.NaN, p99: Number.NaN, max: Number.NaN }
}

function forget(folder: string): void {
  for (const name of filesOf(folder)) process.kill(Number.parseInt(name, 10), 'SIGUSR2')
}
