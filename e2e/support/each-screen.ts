// Looks at screens in light and dark, at a desk and on a telephone, under a loud tenant colour: axe finds nothing, the browser complains of nothing, and no
// screen is empty.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillPath } from '#core/contract/paths.ts'
import { openBrowser, openWindow, openWindowOf, settled, type Window } from './browser.ts'
import { openFullEstate, type FullEstate } from './full-estate.ts'
import { faultsInEachLook, takeFirstLook } from './looks.ts'
import type { ScreenCase } from './screens.ts'

export function lookAtEach(cases: readonly ScreenCase[]): void {
  let browser: Browser
  let estate: FullEstate
  let signedIn: Window
  let signedOut: Window

  beforeAll(async () => {
    estate = await openFullEstate()
    browser = await openBrowser()
    signedIn = await openWindowOf(browser, estate.origin, estate.ada)
    signedOut = await openWindow(browser, estate.origin)
    // A busy machine draws a page late.
    for (const { context } of [signedIn, signedOut]) context.setDefaultTimeout(60_000)
  })
  afterAll(async () => {
    await browser.close()
    await estate.close()
  })

  describe('each screen', () => {
    test.each(cases)('$id: nothing for axe, nothing on the console, one heading, in each look', async ({ id, path, needs, example }) => {
      const { page, complaints } = needs === 'public' ? signedOut : signedIn
      complaints.length = 0
      const address = fillPath(path, await example(estate))
      expect(await documentAt(estate.origin + address)).toEqual([200, 'text/html; charset=utf-8', true])
      await openWithin(page, address)
      expect(await faultsInEachLook(page, id)).toEqual([])
      expect(complaints).toEqual([])
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('Page Not Found')
      // A failure has a way to try again.
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      expect(await page.title()).toMatch(/^\S.* · Chancery$/)
      ready.add(page)
    })
  })
}

/** A page that no room has: from it each screen is built from nothing. */
const nowhere = '/nowhere'
/** Pages that hold the console, and whose last test went well. */
const ready = new WeakSet<Page>()

/** Goes there as the browser's Back and Forward do, within the document: to start the console and axe anew takes as long as all four looks. */
async function openWithin(page: Page, address: string): Promise<void> {
  const lost = page.getByRole('heading', { level: 1, name: 'Page Not Found' })
  await (ready.has(page) ? navigate(page, nowhere) : page.goto(nowhere))
  ready.delete(page)
  await lost.waitFor()
  // Only now, because nothing is quicker to lay out.
  await takeFirstLook(page)
  await navigate(page, address)
  await lost.waitFor({ state: 'detached' })
  await settled(page)
}

const navigate = (page: Page, address: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate', { state: null }))`)

/** What the server answers whoever opens that address anew: the console's document. */
async function documentAt(address: string): Promise<unknown[]> {
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  return [response.status, response.headers.get('content-type'), (await response.text()).includes('<title>Chancery</title>')]
}
