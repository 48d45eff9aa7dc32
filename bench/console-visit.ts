// One visit of a page in Chromium with nothing kept, on a slow telephone's processor and line: when its largest part is painted, how much moves afterwards, and
// how long the slowest of some interactions takes until the next picture. Each is what web.dev calls LCP, CLS and INP.

import type { Browser, Page } from 'playwright-core'
import type { Line } from './search-opening.ts'

export type Visit = {
  lcp: number
  cls: number
  inp: number
  /** What stands for each: the element that was painted last, those that moved, the event that took longest. */
  because: { lcp: string; cls: string; inp: string }
}

/** What a person does on the page, once it stands. */
export type Doing = (page: Page) => Promise<void>

export type Window = { origin: string; cookies: Record<string, string>; width: number; height: number; line: Line }

export async function visit(
  browser: Browser,
  { origin, cookies, width, height, line }: Window,
  path: string,
  there: string,
  doing: Doing,
): Promise<Visit> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width, height }, locale: 'en-GB' })
  try {
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })))
    await context.addInitScript({ content: watching })
    const page = await context.newPage()
    const tools = await context.newCDPSession(page)
    await tools.send('Emulation.setCPUThrottlingRate', { rate: line.slowdown })
    const bytesASecond = (line.megabits * 1e6) / 8
    await tools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.latency,
      downloadThroughput: bytesASecond,
      uploadThroughput: bytesASecond,
    })
    await page.goto(path, { waitUntil: 'commit' })
    await page.locator(there).first().waitFor({ timeout: 60_000 })
    // What is painted or moves a moment later counts as well.
    await page.waitForTimeout(2_000)
    const { lcp, lcpOf } = await read(page)
    await doing(page)
    await page.waitForTimeout(500)
    const { cls, moved, inp, inpOf } = await read(page)
    return { lcp, cls, inp, because: { lcp: lcpOf, cls: moved, inp: inpOf } }
  } finally {
    await context.close()
  }
}

type Marks = { lcp: number; lcpOf: string; cls: number; moved: string; inp: number; inpOf: string }

const read = async (page: Page): Promise<Marks> => JSON.parse(await page.evaluate<string>('JSON.stringify(window.consoleBench)')) as Marks

// CLS is the worst window of five seconds with no gap of one (web.dev); what follows an input within half a second was asked for.
const watching = `
const bench = window.consoleBench = { lcp: 0, lcpOf: '', cls: 0, moved: '', inp: 0, inpOf: '' }
const named = (node) => node === null || node === undefined ? '' : (node.nodeName + ' ' + (node.textContent ?? '').trim().slice(0, 40))
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) { bench.lcp = entry.startTime; bench.lcpOf = named(entry.element) }
}).observe({ type: 'largest-contentful-paint', buffered: true })
let began = 0, last = 0, sum = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue
    if (entry.startTime - last > 1000 || entry.startTime - began > 5000) { began = entry.startTime; sum = 0 }
    last = entry.startTime
    sum += entry.value
    if (sum > bench.cls) bench.cls = sum
    bench.moved += entry.value.toFixed(4) + ' ' + entry.sources.map(({ node }) => named(node)).join(', ') + '; '
  }
}).observe({ type: 'layout-shift', buffered: true })
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (entry.interactionId > 0 && entry.duration > bench.inp) { bench.inp = entry.duration; bench.inpOf = entry.name + ' on ' + named(entry.target) }
}).observe({ type: 'event', buffered: true, durationThreshold: 16 })`
