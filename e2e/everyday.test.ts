// What people do every day, in as few clicks as it may take: an administrator at a desk finds what ends first, revokes twenty and opens a record by its serial;
// a clerk on a telephone asks for a certificate, and sees who must agree.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { imports } from '#areas/imports/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { invite } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

const phoneSize = { width: 390, height: 844 }

let product: Product
let browser: Browser
let estate: Estate
let desk: Page
let phone: Page
let complaints: string[][]

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  estate = await furnish(product)
  const clerk = await invite(product, estate.ada, 'carl', 'User')
  // What the estate gives a vote for is revoked by one person here.
  const { caName: _, updatedAt: __, ...device } = await estate.ada.call(templates.calls.get, { templateId: estate.deviceTemplateId })
  await estate.ada.call(templates.calls.edit, { ...device, revocationApprovers: 0 })
  for (let number = 1; number <= 22; number += 1) {
    const name = `camera-${number}.northwind.example`
    const values = { CommonName: [name], DNS: [name] }
    await estate.ada.call(certificates.calls.requestForDevice, { templateId: estate.deviceTemplateId, csr: estate.csr(name), values })
  }
  await estate.ada.call(imports.calls.upload, { text: `${ending('later.example', 9)}\n${ending('soonest.example', 3)}` })
  const atDesk = await openWindowOf(browser, product.origin, estate.ada, { height: 700 })
  const onPhone = await openWindowOf(browser, product.origin, clerk, phoneSize)
  ;[desk, phone] = [atDesk.page, onPhone.page]
  complaints = [atDesk.complaints, onPhone.complaints]
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
})

/** A certificate of somebody else that ends in so many days. */
function ending(name: string, days: number): string {
  const tools = openSsl()
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null']
  const text = tools.run('req', '-x509', ...key, '-subj', `/CN=${name}`, '-days', String(days))
  tools.close()
  return text
}

test('the certificate that ends first is two clicks from home', async () => {
  await desk.goto('/home')
  await settled(desk)
  await desk
    .getByRole('main')
    .getByRole('link', { name: /Expiring/ })
    .first()
    .click()
  await desk.waitForURL('**/search/certificate?*')
  await settled(desk)
  await desk.locator('table tbody tr a').first().click()
  await desk.getByRole('heading', { level: 1, name: 'soonest.example' }).waitFor()
  expect(new URL(desk.url()).pathname).toMatch(/^\/credentials\/certificates\/view\//)
})

test('a serial pasted as the console groups it opens the record with Enter', async () => {
  const grouped = estate.serialNumber.replaceAll(/(.{4})(?=.)/g, '$1 ')
  await desk.keyboard.press('Control+k')
  const box = desk.getByRole('combobox', { name: 'Search or jump to...' })
  await box.waitFor()
  await box.fill(grouped)
  await desk.getByRole('option', { name: /www\.northwind\.example/ }).waitFor()
  await desk.keyboard.press('Enter')
  await desk.waitForURL(`**/credentials/certificates/view/${estate.certId}`)
  await desk.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Inventory' }).waitFor()
  expect(await desk.getByRole('navigation', { name: 'Main' }).locator('[aria-current]').allInnerTexts()).toContain('Inventory')
})

test('twenty rows are revoked by a bar that stays in sight', async () => {
  await desk.goto('/search/certificate?status=active&sort=issuedAt&direction=desc')
  await settled(desk)
  const boxes = desk.locator('table tbody').getByRole('checkbox')
  for (let row = 0; row < 20; row += 1) await boxes.nth(row).check()
  const revoke = desk.getByRole('main').getByRole('button', { name: 'Revoke certificates' })
  const box = await revoke.boundingBox()
  expect(box !== null && box.y >= 0 && box.y + box.height <= 700).toBe(true)
  await revoke.click()
  await desk.getByRole('radio', { name: /^Superseded/ }).click()
  await desk.getByLabel('Type 20 to go on').fill('20')
  await desk
    .getByRole('button', { name: /^Revoke/ })
    .last()
    .click()
  await expect.poll(async () => desk.getByRole('main').innerText()).toContain('20 revoked')
})

test('a clerk on a telephone asks in two taps without a CSR, and reads who must agree', async () => {
  await phone.goto('/self/portal')
  await phone.getByRole('link', { name: /I need a certificate/ }).click()
  await phone.getByRole('heading', { level: 1, name: 'Request a certificate' }).waitFor()
  await settled(phone)
  await phone.getByText(/The key is made for you/).waitFor()
  await phone.getByText(/It goes to approvers first/).waitFor()
  // By name before it is sent, and without a word of the trade in sight.
  await phone.getByText(/can approve$/).waitFor()
  expect(await phone.getByRole('main').innerText()).not.toMatch(/CSR|PKCS#12|RSA|Extended usages/)
  await phone.getByRole('button', { name: 'Request certificate' }).click()
  await phone.getByText(/can approve$/).waitFor()
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneSize.width)
})

test('nothing was complained about on the way', () => expect(complaints).toEqual([[], []]))
