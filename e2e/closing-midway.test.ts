// People close the lid, press twice, go to lunch. Nothing that was saved is lost, nothing happens twice, and who comes back finds the way back.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { to } from '#core/contract/paths.ts'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { startProduct, type Product } from './support/product.ts'
import { choose, shows } from './support/steps.ts'

let product: Product
let browser: Browser
let estate: Estate

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  estate = await furnish(product)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
})

const signIn = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'Username' }).fill(estate.ada.username)
  await page.getByLabel(/^Password/).fill(estate.ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('textbox', { name: 'Code' }).fill(await estate.ada.codes.nextCode())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function fillRequest(page: Page, name: string): Promise<void> {
  await page.goto(to(certificates.screens.uploadForDevice))
  await settled(page)
  await choose(page, 'Template', /^TLS server/)
  await page.getByRole('textbox', { name: 'Certificate request (CSR)' }).fill(estate.csr(name))
  await shows(page, `CN=${name}`)
}

const requestsFor = async (name: string) =>
  (await estate.ada.call(certificates.calls.requests, { text: name })).rows.filter(({ subject }) => subject.includes(name))

test('a double click on “Request certificate” gives one request', async () => {
  const { page, context } = await openWindowOf(browser, product.origin, estate.ada)
  await fillRequest(page, 'twice.northwind.example')
  await page.getByRole('button', { name: 'Request certificate' }).dblclick()
  await page.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()
  await settled(page)
  expect(await requestsFor('twice.northwind.example')).toHaveLength(1)
  await context.close()
})

test('a window closed right after the press leaves one whole request or none', async () => {
  const { page, context } = await openWindowOf(browser, product.origin, estate.ada)
  await fillRequest(page, 'closed.northwind.example')
  await page.getByRole('button', { name: 'Request certificate' }).click({ noWaitAfter: true })
  await context.close()
  const made = await requestsFor('closed.northwind.example')
  expect(made.length).toBeLessThanOrEqual(1)
  for (const { status } of made) expect(status).toBe('under_submission')
})

test('what was asked waits for the decision after the browser is gone, and can be decided', async () => {
  const first = await openWindowOf(browser, product.origin, estate.ada)
  await fillRequest(first.page, 'kept.northwind.example')
  await first.page.getByRole('button', { name: 'Request certificate' }).click()
  await first.page.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()
  await first.context.close()
  const second = await openWindowOf(browser, product.origin, estate.bob)
  await second.page.goto(to(certificates.screens.approvals))
  await second.page
    .getByRole('link', { name: /kept\.northwind\.example/ })
    .first()
    .click()
  await second.page.getByRole('button', { name: 'Approve request' }).click()
  await second.page.getByText('Approved and issued').first().waitFor()
  await second.context.close()
  expect(await requestsFor('kept.northwind.example')).toMatchObject([{ status: 'issued' }])
})

test('who comes without a session signs in and is back where the link led', async () => {
  const { page, context } = await openWindow(browser, product.origin)
  await page.goto(`/credentials/certificates/view/${estate.certId}?tab=raw`)
  await page.waitForURL('**/login?redirect=*')
  expect(new URL(page.url()).searchParams.get('redirect')).toBe(`/credentials/certificates/view/${estate.certId}?tab=raw`)
  await signIn(page)
  await page.waitForURL(`**/credentials/certificates/view/${estate.certId}?tab=raw`)
  await page.getByRole('textbox', { name: 'Certificate as PEM' }).waitFor()
  await context.close()
})

test('a session that ended on the server leads to the sign-in, and back to the form as it was', async () => {
  const { page, context } = await openWindowOf(browser, product.origin, estate.ada)
  await fillRequest(page, 'typed.northwind.example')
  await page.getByRole('textbox', { name: 'Comment' }).fill('Typed before lunch')
  await context.clearCookies({ name: /^(?!XSRF)/ })
  // What the form asks by itself while it is filled in may meet the end before the press does, and leads to the same place.
  await page
    .getByRole('button', { name: 'Request certificate' })
    .click()
    .catch((error: unknown) => {
      if (new URL(page.url()).pathname !== '/login') throw error
    })
  await page.waitForURL('**/login?redirect=*')
  await signIn(page)
  await page.waitForURL(`**${to(certificates.screens.uploadForDevice)}`)
  expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Typed before lunch')
  await context.close()
})

test('before a session ends for want of activity the page says so, and one press keeps it', async () => {
  const { page, context } = await openWindowOf(browser, product.origin, estate.bob)
  await page.clock.install()
  await page.goto('/home')
  await settled(page)
  await page.clock.fastForward('14:00')
  const warning = page.getByRole('dialog', { name: 'Your session is about to end' })
  await warning.waitFor()
  expect(await warning.getByRole('timer').textContent()).toMatch(/\d+ seconds? left/)
  await warning.getByRole('button', { name: 'Stay signed in' }).click()
  await warning.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/home')
  await context.close()
})
