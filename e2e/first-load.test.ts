// The console as a whole: its navigation leads to pages of their own, nothing moves while it comes or is covered once it is there, and the first load is small.

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imports } from '#areas/imports/contract.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { openBrowser, openWindow, openWindowOf, settled, type Window } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { startProduct, type Product } from './support/product.ts'
import { openMenu } from './support/steps.ts'

let product: Product
let browser: Browser
let estate: Estate
let signedIn: Window
let signedOut: Window

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  estate = await furnish(product)
  signedIn = await openWindowOf(browser, product.origin, estate.ada)
  signedOut = await openWindow(browser, product.origin)
  // A busy machine draws a page late.
  for (const { context } of [signedIn, signedOut]) context.setDefaultTimeout(60_000)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
})

describe('each screen', () => {
  test('of the navigation shows something of its own', async () => {
    const { page } = signedIn
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/home')
    await settled(page)
    await openMenu(page)
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all()
    const places = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''))
    expect(places.length).toBeGreaterThan(8)
    const titles = new Set<string>()
    for (const href of places) {
      // Self-service has a navigation of its own.
      if (new URL(page.url()).pathname.startsWith('/self/portal')) {
        await page.goto('/home')
        await settled(page)
      }
      await openMenu(page)
      const [from, before] = [new URL(page.url()), await page.title()]
      const link = page.getByRole('navigation', { name: 'Main' }).locator(`a[href="${href}"]`)
      // A group may close again while the page before still arrives.
      await expect.poll(async () => openMenu(page).then(() => link.isVisible()), { message: `${page.url()} to ${href}` }).toBe(true)
      await link.click()
      await page.waitForURL(`**${href}`)
      // The address changes before the page does, and until then the old page is as settled as ever.
      const isLeft = async () => `${from.pathname}${from.search}` === href || (await page.title()) !== before
      await expect.poll(isLeft, { message: `another title than that of ${from.pathname}`, interval: 20 }).toBe(true)
      await settled(page)
      const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      expect(title).not.toMatch(/Page Not Found|Denied/)
      // What is here quickly has no sign of loading, and for a moment neither that nor its rows.
      await expect.poll(async () => (await page.getByRole('main').textContent())?.replace(title, '').trim()).not.toBe('')
      titles.add(await page.title())
    }
    expect(titles.size).toBe(places.length)
  })
})

test('A certificate that is opened from the list stands still from when it is drawn', async () => {
  const { page } = signedIn
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/search/certificate')
  await settled(page)
  await page.evaluate(
    `window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries().map(({ value, sources }) => [value, sources[0]?.node?.textContent.slice(0, 60)]))).observe({ type: 'layout-shift' })`,
  )
  await page.locator(`a[href="/credentials/certificates/view/${estate.certId}"]`).first().click()
  await page.getByRole('button', { name: /hold$/ }).waitFor()
  await page.getByRole('region', { name: 'Renewal' }).getByRole('link').waitFor()
  await settled(page)
  expect(await page.evaluate('window.moved')).toEqual([])
})

test('A notice of two sentences stands top right at every width, and at a desk covers no control of its page or of the top bar', async () => {
  const { page } = signedIn
  for (const { width, reason, action } of [
    { width: 1440, reason: /^On hold/, action: 'Put on hold' },
    { width: 390, reason: /^Superseded/, action: 'Revoke certificate' },
  ]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/credentials/certificates/view/${estate.certId}/revoke`)
    await page.getByRole('radio', { name: reason }).click()
    await page.getByRole('button', { name: action }).click()
    await page.getByRole('button', { name: 'Download certificate' }).waitFor()
    const notice = page.getByRole('status').filter({ hasText: 'hears of it from now on' })
    await notice.waitFor()
    const box = await notice.boundingBox()
    expect([width, box !== null && box.y < 12, box !== null && box.x + box.width / 2 >= width / 2 - 1]).toEqual([width, true, true])
    // A telephone's top bar has no room beside its buttons.
    const spared = width === 1440 ? ':is(main, header) :is(a, button)' : 'main :is(a, button)'
    expect([width, await hiddenBy(page, notice, spared)]).toEqual([width, []])
  }
})

/** What can be pressed below a notice. */
async function hiddenBy(page: Page, notice: Locator, pressable: string): Promise<string[]> {
  const box = await notice.boundingBox()
  if (box === null) throw new Error('The notice is not shown')
  return page.evaluate(
    `[...document.querySelectorAll('${pressable}')].filter((one) => { const { top, bottom, left, right, width } = one.getBoundingClientRect(); return width > 0 && top < ${box.y + box.height} && bottom > ${box.y} && left < ${box.x + box.width} && right > ${box.x} }).map((one) => one.textContent || one.ariaLabel)`,
  )
}

test('A certificate of others fits the window, however long its subject is', async () => {
  const tools = openToolFolder()
  const config = tools.write('any.cnf', '[req]\ndistinguished_name=dn\n[dn]\n')
  const subject = Array.from({ length: 30 }, () => `/OU=${randomBytes(30).toString('hex')}`).join('')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null']
  const text = tools.run('openssl', 'req', '-x509', '-config', config, ...key, '-days', '90', '-subj', subject)
  tools.remove()
  const { page } = signedIn
  await page.goto('/credentials/certificates/upload')
  await page.getByRole('textbox', { name: /^Certificates/ }).fill(text)
  await page.getByRole('table', { name: 'What is in it' }).waitFor()
  const over = async () => {
    const found: number[] = []
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      // Tabs are put behind "More" when their new width has been measured, which is a frame later.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      found.push(await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
    }
    return found
  }
  await expect.poll(over).toEqual([0, 0])
  const [added] = (await estate.ada.call(imports.calls.upload, { text })).added
  await page.goto(`/credentials/certificates/view/${added?.certificateId}`)
  await settled(page)
  await expect.poll(over).toEqual([0, 0])
})

// The browser adds up how far what was painted is pushed, against the window: CLS, whose bar is no time.
test.each([1440, 390])('Nothing on the home page moves while its cards come, at %i px', async (width) => {
  const { context, page } = await openWindowOf(browser, product.origin, estate.bob, { width })
  await page.addInitScript({
    content: `window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries().map(({ value, sources }) => [value, sources[0]?.node?.textContent.slice(0, 60)]))).observe({ type: 'layout-shift', buffered: true })`,
  })
  await page.goto('/home')
  await page.getByRole('region', { name: 'Waiting for a decision' }).waitFor()
  await page.getByRole('region', { name: 'News' }).waitFor()
  await settled(page)
  const moved = await page.evaluate<[number, string][]>('window.moved')
  await context.close()
  expect(moved.reduce((sum, [value]) => sum + value, 0) < 0.02 ? [] : moved).toEqual([])
})

describe('the first load', () => {
  const folder = fileURLToPath(new URL('../dist/console/', import.meta.url))
  const size = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1000

  // The build holds the entry and the shell to their budgets; this is all that a browser fetches, the screen and what checks its form with it.
  // A third of it comes after the page is drawn, for the bell and the session.
  test.each([
    ['/login', 300, () => signedOut],
    ['/home', 320, () => signedIn],
  ] as const)('of %s takes at most %i kB of script, compressed', async (path, limit, windowOf) => {
    const { context } = windowOf()
    const page = await context.newPage()
    const scripts = new Set<string>()
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname.slice(1))
    })
    await page.goto(path)
    await settled(page)
    await page.close()
    expect(scripts.size).toBeGreaterThan(0)
    expect([...scripts].reduce((sum, name) => sum + size(name), 0)).toBeLessThan(limit)
  })

  test('asks no other host for anything', async () => {
    const { context } = signedIn
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
    })
    await page.goto('/home')
    await settled(page)
    await page.close()
    expect([...hosts]).toEqual([product.origin])
  })

  test('names its files by their content', () => {
    expect(readdirSync(join(folder, 'assets')).filter((name) => /\.(js|css)$/.test(name) && !/-[\w-]{8}\.(js|css)$/.test(name))).toEqual([])
  })
})
