// How long the inventory takes to open in a browser with nothing kept, on a slow telephone's processor and line: until its largest part is painted, rows and
// all.

import { chromium, type Browser, type BrowserContext } from 'playwright-core'

export type Line = { slowdown: number; megabits: number; latency: number }

/** The budget's own line. */
export const slowLine: Line = { slowdown: 4, megabits: 1.6, latency: 150 }

export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** Milliseconds from the address to the largest contentful paint, and to the first row. */
export async function openingOf(
  browser: Browser,
  origin: string,
  cookies: Record<string, string>,
  path: string,
  { slowdown, megabits, latency }: Line,
): Promise<{ painted: number; row: number }> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  try {
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })))
    await context.addInitScript({ content: watching })
    const page = await context.newPage()
    const tools = await context.newCDPSession(page)
    await tools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const bytesASecond = (megabits * 1e6) / 8
    await tools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency,
      downloadThroughput: bytesASecond,
      uploadThroughput: bytesASecond,
    })
    await page.goto(path, { waitUntil: 'commit' })
    await page.locator('table tbody tr a').first().waitFor({ timeout: 60_000 })
    // What is painted a moment later, as a webfont's text, counts as well.
    await page.waitForTimeout(1_500)
    return await measured(context, page)
  } finally {
    await context.close()
  }
}

type Marks = { painted: number; row: number }

async function measured(_context: BrowserContext, page: Awaited<ReturnType<BrowserContext['newPage']>>): Promise<Marks> {
  const text: string = await page.evaluate('JSON.stringify(window.searchBench)')
  const { painted, row } = JSON.parse(text) as Marks
  return { painted, row }
}

const watching = `window.searchBench = { painted: 0, row: 0 };
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.searchBench.painted = entry.startTime }).observe({ type: 'largest-contentful-paint', buffered: true });
new MutationObserver(() => { if (window.searchBench.row === 0 && document.querySelector('table tbody tr a') !== null) window.searchBench.row = performance.now() }).observe(document, { childList: true, subtree: true });`
