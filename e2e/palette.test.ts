// Ctrl+K on a slow line: the file of the palette is held up, and nobody waits for it to begin typing.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let browser: Browser
let ada: Person

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  ada = (await setUp(product, 'ada.lovelace')).administrator
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

/** The home page, and what lets the palette's file arrive. */
async function openHome(): Promise<{ page: Page; arrive: () => void }> {
  const { page } = await openWindowOf(browser, product.origin, ada)
  const { promise: held, resolve: arrive } = Promise.withResolvers<void>()
  await page.route(/\/assets\/Palette-[\w-]+\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/home')
  await settled(page)
  return { page, arrive }
}

const palette = (page: Page) => page.getByRole('combobox', { name: 'Search or jump to...' })

test('what is typed before the palette is there stands in it, and typing goes on', async () => {
  const { page, arrive } = await openHome()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('inv')
  expect(await palette(page).count()).toBe(0)
  arrive()
  await palette(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('entory')
  expect(await palette(page).inputValue()).toBe('inventory')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/search/certificate')
  await page.context().close()
})

test('Enter, too, is kept until the palette knows where it leads', async () => {
  const { page, arrive } = await openHome()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('inventory')
  await page.keyboard.press('Enter')
  arrive()
  await page.waitForURL('**/search/certificate')
  expect(await palette(page).count()).toBe(0)
  await page.context().close()
})

test('no letter is lost between the first field and the palette, however fast one types', async () => {
  const { page, arrive } = await openHome()
  const text = 'the quick brown fox jumps over the lazy dog '.repeat(4)
  await page.keyboard.press('Control+k')
  const typed = page.keyboard.type(text, { delay: 5 })
  arrive()
  await typed
  await palette(page).waitFor()
  expect(await palette(page).inputValue()).toBe(text)
  await page.context().close()
})

test('Escape closes either, and the focus goes back to where it was', async () => {
  const { page, arrive } = await openHome()
  const search = page.getByRole('button', { name: 'Search or jump to...' })
  await search.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Search or jump to...' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await search.and(page.locator(':focus')).waitFor()
  arrive()
  await page.keyboard.press('Enter')
  await palette(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await search.and(page.locator(':focus')).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.context().close()
})
