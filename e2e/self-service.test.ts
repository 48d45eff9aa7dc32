// Self-service on a telephone: where an ordinary person arrives, what waits there, and signing out everywhere.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { plugIn, type SecurityKey } from './support/security-key.ts'

const phoneSize = { width: 390, height: 844 }

let product: Product
let browser: Browser
let ada: Person
let page: Page
let key: SecurityKey
let complaints: string[]

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  const { administrator } = await setUp(product, 'grace')
  ada = await invite(product, administrator, 'ada', 'User')
  ;({ page, complaints } = await openWindow(browser, product.origin, phoneSize))
  key = await plugIn(page)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

async function signIn(on: Page): Promise<void> {
  await on.goto('/login')
  await on.getByRole('textbox', { name: 'Username' }).fill(ada.username)
  await on.getByLabel(/^Password/).fill(ada.password)
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
  await on.getByRole('textbox', { name: 'Code' }).fill(await ada.codes.nextCode())
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
  await on.getByRole('heading', { level: 1, name: 'Hello Ada' }).waitFor()
  await settled(on)
}

const fits = async (on: Page): Promise<void> =>
  expect(await on.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneSize.width)

test('an ordinary person arrives in self-service, where everything is as large as a thumb', async () => {
  await signIn(page)
  expect(new URL(page.url()).pathname).toBe('/self/portal')
  await page.getByRole('link', { name: /Set your secret questions/ }).waitFor()
  await fits(page)
  for (const link of await page.getByRole('main').getByRole('link').all())
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  for (const tab of await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all())
    expect((await tab.boundingBox())?.height).toBeGreaterThanOrEqual(44)
})

test('the tabs lead to certificates, passkeys and the account, and each fits', async () => {
  const tabs = page.getByRole('navigation', { name: 'Main' })
  for (const [tab, heading] of [
    ['Certificates', 'My certificates'],
    ['Passkeys', 'My passkeys'],
    ['Account', 'My account'],
  ] as const) {
    await tabs.getByRole('link', { name: tab, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await settled(page)
    await fits(page)
    expect(await tabs.getByRole('link', { name: tab, exact: true }).getAttribute('aria-current')).toBe('page')
  }
})

test('a passkey is added from what waits, and nothing about passkeys waits afterwards', async () => {
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('link', { name: /^Add a passkey/ }).click()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('Successfully created a new passkey').waitFor()
  expect(await key.count()).toBe(1)
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('link', { name: /Set your secret questions/ }).waitFor()
  expect(await page.getByRole('link', { name: /^Add a passkey/ }).count()).toBe(0)
})

test('signing out everywhere ends this session and the one at the desk with its next click', async () => {
  const desk = await openWindowOf(browser, product.origin, ada)
  await desk.page.goto('/self/portal')
  await desk.page.getByRole('heading', { level: 1, name: 'Hello Ada' }).waitFor()
  await page.getByRole('link', { name: /Where am I signed in/ }).click()
  await page.getByText('This session').waitFor()
  expect(await page.getByRole('listitem').count()).toBeGreaterThanOrEqual(2)
  await fits(page)
  // Takes the finger off, because the sign-in page asks for a passkey at once, and it would answer.
  await key.touched(false)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/login')
  await desk.page.getByRole('link', { name: 'Account', exact: true }).click()
  await desk.page.waitForURL('**/login?redirect=*')
  await desk.context.close()
})

test('nothing was complained about on the way', () => expect(complaints).toEqual([]))
