// Passkeys in Chromium, with a key that it has built in: from the own account over the sign-in page to the last one that stays.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { plugIn, type SecurityKey } from './support/security-key.ts'

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
  ;({ page, complaints } = await openWindowOf(browser, product.origin, ada))
  key = await plugIn(page)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

const own = '/credentials/fido/passkeys/me'
const signInPage = `/login?redirect=${own}`
const passkeyButton = (on: Page) => on.getByRole('button', { name: 'Sign in with a passkey' })

/** Signed in, and where the address said. */
async function arrive(on: Page): Promise<void> {
  await on.getByRole('button', { name: 'Add passkey' }).waitFor()
  await settled(on)
}

async function signOut(on: Page): Promise<void> {
  await key.touched(false)
  await on.context().clearCookies()
  await on.goto(signInPage)
  await settled(on)
  await passkeyButton(on).waitFor()
}

test('a person finds passkeys in the own account and registers one', async () => {
  await page.goto('/self/account')
  await page.getByRole('link', { name: 'Manage passkeys' }).click()
  await page.waitForURL(`**${own}`)
  await page.getByText('You have no passkey yet').waitFor()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  expect(await name.inputValue()).toMatch(/^Passkey \d{1,2} \w{3} \d{4}$/)
  await name.fill('My laptop')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('Successfully created a new passkey').waitFor()
  await page.getByRole('rowheader', { name: 'My laptop' }).waitFor()
  expect(await key.count()).toBe(1)
})

test('the device is told that it holds one already, and a new name is shown', async () => {
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('This device holds a passkey of yours already.').waitFor()
  await page.getByRole('button', { name: 'Add none' }).click()
  await page.getByRole('button', { name: 'Rename My laptop' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Blue laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename passkey' }).click()
  await page.getByRole('rowheader', { name: 'Blue laptop' }).waitFor()
  expect(await key.count()).toBe(1)
})

test('it signs in by the button, without a name and a code', async () => {
  await signOut(page)
  // What waits in the list of the field gives way to the button.
  await key.touched(true)
  await passkeyButton(page).click()
  await arrive(page)
  expect(new URL(page.url()).pathname).toBe(own)
})

test('it signs in from the list of the username field, and comes back to where one was', async () => {
  await signOut(page)
  await page.goto(signInPage)
  await key.touched(true)
  await arrive(page)
  expect(new URL(page.url()).pathname).toBe(own)
})

test('a prompt that is not answered by the right person says nothing, and the password still works', async () => {
  await signOut(page)
  await key.verifies(false)
  await key.touched(true)
  await passkeyButton(page).click()
  await expect.poll(() => passkeyButton(page).getAttribute('data-loading')).toBe(null)
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(new URL(page.url()).pathname).toBe('/login')
  // Takes the finger off before it fits again, because what waits in the list of the field would sign in before the password does.
  await key.touched(false)
  await key.verifies(true)
  await page.getByRole('textbox', { name: 'Username' }).fill(ada.username)
  await page.getByLabel(/^Password/).fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('textbox', { name: 'Code' }).fill(await ada.codes.nextCode())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await arrive(page)
})

test('a prompt that is closed says nothing', async () => {
  await signOut(page)
  await page.evaluate(`{
    const { get } = CredentialsContainer.prototype
    CredentialsContainer.prototype.get = function (options) {
      return options.mediation === 'optional' ? Promise.reject(new DOMException('closed', 'NotAllowedError')) : get.call(this, options)
    }
  }`)
  await passkeyButton(page).click()
  await expect.poll(() => passkeyButton(page).getAttribute('data-loading')).toBe(null)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('two tabs do not disturb each other', async () => {
  await signOut(page)
  const other = await page.context().newPage()
  const otherKey = await plugIn(other)
  await otherKey.touched(false)
  await otherKey.take(await key.passkeys())
  await other.goto(signInPage)
  await passkeyButton(other).waitFor()
  await key.touched(true)
  await passkeyButton(page).click()
  await arrive(page)
  await otherKey.touched(true)
  await passkeyButton(other).click()
  await arrive(other)
  await other.close()
  await page.reload()
  await settled(page)
  expect(new URL(page.url()).pathname).toBe(own)
})

test('a passkey is deleted where a code is left, and the browser forgets it, too', async () => {
  await page.goto(own)
  await page.getByRole('button', { name: 'Delete Blue laptop' }).click()
  await page.getByRole('button', { name: 'Delete passkey' }).click()
  await page.getByText('You have no passkey yet').waitFor()
  await expect.poll(() => key.count()).toBe(0)
})

test('on a telephone it is registered and signs in as well', async () => {
  const { page: phone, context } = await openWindow(browser, product.origin, { width: 390, height: 844 })
  const phoneKey = await plugIn(phone)
  await phone.goto(signInPage)
  await phone.getByRole('textbox', { name: 'Username' }).fill(ada.username)
  await phone.getByLabel(/^Password/).fill(ada.password)
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('textbox', { name: 'Code' }).fill(await ada.codes.nextCode())
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await arrive(phone)
  await phone.getByRole('button', { name: 'Add passkey' }).click()
  await phone.getByRole('button', { name: 'Create passkey' }).click()
  await phone.getByRole('button', { name: /^Rename Passkey/ }).waitFor()
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await phoneKey.touched(false)
  await context.clearCookies()
  await phone.goto(signInPage)
  await passkeyButton(phone).waitFor()
  await phoneKey.touched(true)
  await passkeyButton(phone).click()
  await arrive(phone)
  await context.close()
})

test('nothing was complained about on the way', () => expect(complaints).toEqual([]))
