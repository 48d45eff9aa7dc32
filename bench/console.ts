// The console as people meet it on a slow telephone: the built server with the estate of `npm run demo`, a processor of a quarter of the speed, a line of
// 1.6 Mbit/s with 150 ms there and back. Home and the inventory are opened at a desk's width and a telephone's, each several times with nothing kept; the
// middle one counts. On each page a person does what people do most. The bars are design figures: what is over its bar is marked, and fails.

import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { sessions } from '#areas/sessions/contract.ts'
import { homePath } from '#core/contract/pages.ts'
import { caller } from '#core/testing/caller.ts'
import { freePort } from '#core/testing/free-port.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { visit, type Doing, type Visit } from './console-visit.ts'
import { median, rounded } from './machine.ts'
import type { Bench } from './run.ts'
import { openChromium, slowLine } from './search-opening.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

const widths = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** Milliseconds; CLS has no unit. */
const bars = { homeLcpMs: 2_000, listLcpMs: 2_500, inpMs: 100, cls: 0.02 } as const

const walkByKeys: Doing = async (page) => {
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('Tab')
  await openMenu(page)
}

const search: Doing = async (page) => {
  const box = page.getByRole('searchbox').first()
  if (await box.isVisible()) {
    await box.click()
    await page.keyboard.type('north', { delay: 120 })
    await page.waitForTimeout(2_500)
  }
  await openMenu(page)
}

/** The account's menu, or on a telephone the navigation: what opens over the page. */
async function openMenu(page: Page): Promise<void> {
  const button = page.locator('header button:visible').last()
  await button.click()
  await page.waitForTimeout(800)
  await page.keyboard.press('Escape')
}

const pages = [
  { name: 'home', path: homePath, there: 'main h2', doing: walkByKeys, lcpBar: bars.homeLcpMs },
  { name: 'list', path: '/search/certificate', there: 'table tbody tr a', doing: search, lcpBar: bars.listLcpMs },
] as const

export const run: Bench['run'] = async ({ rounds = 3, say }) => {
  say('building the console')
  await finished(
    spawn(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], { cwd: root, stdio: ['ignore', 2, 2] }),
  )
  const server = await startDemo(say)
  const browser = await openChromium()
  try {
    const cookies = await signIn(server)
    const figures: Record<string, number> = {}
    const over: string[] = []
    const judge = (name: string, value: number, bar: number, why: string): void => {
      figures[name] = value
      say(`${name}: ${value} of ${bar}${value > bar ? ' OVER' : ''} (${why})`)
      if (value > bar) over.push(name)
    }
    for (const [width, size] of Object.entries(widths)) {
      for (const { name, path, there, doing, lcpBar } of pages) {
        const visits: Visit[] = []
        for (let round = 0; round < rounds; round += 1)
          visits.push(await visit(browser, { origin: server.origin, cookies, ...size, line: slowLine }, path, there, doing))
        const middle = (pick: (one: Visit) => number): number => median(visits.map(pick))
        const { because } = visits[0] ?? { because: { lcp: '', cls: '', inp: '' } }
        const named = `${name}${width === 'desk' ? 'Desk' : 'Phone'}`
        judge(`${named}LcpMs`, rounded(middle(({ lcp }) => lcp)), lcpBar, because.lcp)
        judge(`${named}InpMs`, rounded(middle(({ inp }) => inp)), bars.inpMs, because.inp)
        judge(
          `${named}Cls`,
          rounded(
            middle(({ cls }) => cls),
            4,
          ),
          bars.cls,
          because.cls,
        )
      }
    }
    say(over.length === 0 ? 'within every bar' : `over its bar: ${over.join(', ')}`)
    return { figures, ratios: {}, failed: over.length > 0 }
  } finally {
    await browser.close()
    await server.stop()
  }
}

type Demo = { origin: string; username: string; password: string; codeSecret: string; stop(): Promise<void> }

/** The estate is made and its logins are printed once; making it takes a minute. */
async function startDemo(say: (sentence: string) => void): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-console-bench-'))
  // The database's own account must be able to enter it.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'DATABASE_URL' && !name.startsWith('CHANCERY_')),
  )
  const child = spawn(process.execPath, ['apps/server/main.ts', '--demo'], {
    cwd: root,
    env: { ...inherited, CHANCERY_DATA: folder, CHANCERY_PORT: String(port), CHANCERY_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      const gone = finished(child)
      child.kill('SIGTERM')
      await gone.catch(() => undefined)
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  say('making the estate')
  try {
    return { origin: `http://localhost:${port}`, ...(await printedLogin(child)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The administrator of the tenancy that has most of the certificates. */
function printedLogin(child: ChildProcess): Promise<Pick<Demo, 'username' | 'password' | 'codeSecret'>> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (part: Buffer) => {
      printed += part.toString()
      const line = /^\s+Administrator {2,}.+? {2,}(\S+) {2,}(\S+) {2,}(\S+)$/m.exec(printed)
      if (line === null || !printed.includes('otpauth:')) return
      const [, username = '', password = '', codeSecret = ''] = line
      resolve({ username, password, codeSecret })
    })
    child.once('exit', () => reject(new Error(`The server ended before the estate was made:\n${printed}`)))
  })
}

function finished(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)))),
  )
}

async function signIn({ origin, username, password, codeSecret }: Demo): Promise<Record<string, string>> {
  const cookies: Record<string, string> = {}
  const ask = () =>
    caller(
      origin,
      {
        cookie: Object.entries(cookies)
          .map(([name, value]) => `${name}=${value}`)
          .join('; '),
      },
      (response) => {
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies[name] = value
        }
      },
    )
  await ask().call(sessions.calls.login, { username, password })
  await ask().call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(codeSecret), new Date()) })
  return cookies
}
