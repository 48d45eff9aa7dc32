// Chromium as people have it. Each person gets a context: cookies, storage and clipboard of their own. What the pages complain about is kept: errors on
// the console, uncaught ones, and what the Content-Security-Policy stopped.

import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core'
import { until } from '#core/testing/until.ts'
import type { Person } from './people.ts'

export type Window = { context: BrowserContext; page: Page; complaints: string[] }
export type WindowOptions = { width?: number; height?: number; scheme?: 'light' | 'dark'; bypassCsp?: boolean }

/** Debian's Chromium without a desktop's parts: the same engine starts without the windows of a browser that nobody looks at, for a third of the processor time. */
export const chromiumProgram = '/usr/bin/chromium-headless-shell'

let shared: Browser | undefined

/**
 * The Chromium that the files of a worker share, as each comes after the other: to close it closes what this file opened there, and it ends with the
 * worker, at whose pipe it hangs. `more`: arguments of Chromium besides, such as a name that leads to this machine; that one is the file's own.
 */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (more.length > 0) return launch(more)
  // One that crashed takes only its own file with it.
  if (shared?.isConnected() !== true) shared = staysOpen(await launch([]))
  return shared
}

function staysOpen(browser: Browser): Browser {
  return Object.assign(browser, {
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
  })
}

function launch(more: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumProgram,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}

export async function openWindow(
  browser: Browser,
  origin: string,
  { width = 1440, height = 900, scheme = 'light', bypassCsp = false }: WindowOptions = {},
): Promise<Window> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    bypassCSP: bypassCsp,
    acceptDownloads: true,
    // A front that ends TLS has a root of its own.
    ignoreHTTPSErrors: new URL(origin).protocol === 'https:',
  })
  // A page has a clipboard only where it is trusted, which http is on this machine alone.
  if (new URL(origin).hostname === 'localhost') await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  // Guards against hanging alone.
  context.setDefaultTimeout(60_000)
  context.on('page', watchRequests)
  const complaints: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message.text())) complaints.push(`${message.page()?.url() ?? ''}: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`${error.page()?.url() ?? ''}: ${error.error().message}`))
  await context.addInitScript({
    content:
      "document.addEventListener('securitypolicyviolation', (event) => console.error(`The policy stopped ${event.blockedURI} by ${event.violatedDirective}`))",
  })
  return { context, page: await context.newPage(), complaints }
}

/** A refused call is the server's answer, which the page shows. The browser notes each, and so does the console: "users.read: missing 404 ...". */
const isRefusal = (text: string) =>
  text.startsWith('Failed to load resource: the server responded with a status of 4') || /^\w+\.\w+: \w+ 4\d\d /.test(text)

/** Goes on with the session that the person has by the calls. */
export async function openWindowOf(browser: Browser, origin: string, person: Person, options?: WindowOptions): Promise<Window> {
  const window = await openWindow(browser, origin, options)
  await window.context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: origin })))
  return window
}

/** The page stands: its heading is there, nothing says that it loads, and for a moment nothing is on its way. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('[role="status"][aria-label="Loading"], [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await until('the page to ask for nothing more', () => requestsOf(page).size === 0, {
    every: 20,
    state: () => [page.url(), ...[...requestsOf(page)].map((request) => `${request.method()} ${request.url()}`)],
  })
}

const requests = new WeakMap<Page, Set<Request>>()
const requestsOf = (page: Page): ReadonlySet<Request> => requests.get(page) ?? new Set()

function watchRequests(page: Page): void {
  const open = new Set<Request>()
  requests.set(page, open)
  page.on('request', (request) => {
    // A new document forgets what the last one asked for: not each of those is said to have failed.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) open.clear()
    open.add(request)
  })
  const close = (request: Request) => void open.delete(request)
  page.on('requestfinished', close)
  page.on('requestfailed', close)
}
