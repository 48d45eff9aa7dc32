// A tenancy of its own: made in the management tenancy with a colour and a domain, which its administrator proves by a DNS record; then its host has its own
// name, logo and colours before anybody signs in.

import { createCanvas } from '@napi-rs/canvas'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { chromiumProgram, openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

const host = 'pki.westwind.test'
let names: LittleNameServer
let product: Product
let browser: Browser
let grace: Person

beforeAll(async () => {
  names = await openNameServer({})
  product = await startProduct({ CHANCERY_NAME_SERVERS: names.address })
  browser = await openBrowser()
  grace = (await setUp(product, 'grace')).administrator
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await names.close()
})

const logo = (): Buffer => {
  const canvas = createCanvas(120, 40)
  const context = canvas.getContext('2d')
  context.fillStyle = '#ffd400'
  context.fillRect(0, 0, 120, 40)
  return canvas.toBuffer('image/png')
}

test('a tenancy has its own colours at a domain that it has proved', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, grace)

  await page.goto('/tenancy/manage/create')
  await page.getByRole('textbox', { name: /^Name/ }).fill('Westwind')
  await page.getByRole('textbox', { name: /^Colour/ }).fill('#0b6e4f')
  await page.getByRole('textbox', { name: /^First domain/ }).fill('westwind.test')
  await page.getByRole('textbox', { name: /^Given name/ }).fill('Nora')
  await page.getByRole('textbox', { name: /^Family name/ }).fill('North')
  await page.getByRole('textbox', { name: /^E-mail address/ }).fill('nora@westwind.test')
  await page.getByRole('textbox', { name: /^Username/ }).fill('nora')
  await page.getByRole('button', { name: 'Create tenancy' }).click()
  await page.getByRole('link', { name: 'Show managed tenancies' }).click()

  await page.getByRole('button', { name: 'Actions for Westwind' }).click()
  await page.getByRole('menuitem', { name: 'Work in this tenancy' }).click()
  await page.waitForURL('**/home')
  await page.goto('/admin/alloweddomains')
  await page.getByRole('link', { name: 'westwind.test' }).click()
  await page.getByRole('heading', { name: 'westwind.test' }).waitFor()
  await page.getByRole('switch', { name: /^Stands for all names below it/ }).click({ force: true })
  await page.getByText('The domain was changed').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('There is no such record').waitFor()
  const proof = await page
    .getByText(/^chancery-domain-verification=/)
    .first()
    .textContent()
  names.names.set('_chancery-challenge.westwind.test', [{ type: 'TXT', value: proof ?? '' }])
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Proved', { exact: true }).first().waitFor()

  await page.goto('/config/domain-branding')
  await page.getByRole('button', { name: 'New look' }).click()
  await page.getByRole('textbox', { name: /^Host/ }).fill(host)
  await page.getByRole('textbox', { name: /^Name shown/ }).fill('Westwind Trust')
  await page.getByRole('textbox', { name: /^Background of the band/ }).fill('#ffd400')
  await page.getByRole('textbox', { name: /^Text on the band/ }).fill('#ffffff')
  await page.getByText(/it cannot be read/).waitFor()
  await page.getByRole('textbox', { name: /^Background of the band/ }).fill('#0b3d2e')
  await page.getByText(/: 1, it can be read/).waitFor()
  await page.locator('input[type="file"]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo() })
  await page.getByRole('group', { name: 'Preview of the look' }).locator('img').first().waitFor()
  await page.getByRole('button', { name: 'Save look' }).click()
  await page.getByText('Domain Branding Updated').waitFor()
  await page.getByRole('table', { name: 'Hosts' }).getByText(host).waitFor()

  // At its own host, for somebody who has not signed in; at the other one nothing has changed.
  const elsewhere = await chromium.launch({
    executablePath: chromiumProgram,
    args: ['--headless', '--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${host} 127.0.0.1`],
  })
  try {
    const at = product.origin.replace('localhost', host)
    const phone = await openWindow(elsewhere, at, { width: 390, height: 844 })
    await phone.page.goto(`${at}/login`)
    await phone.page.getByText('Westwind Trust').waitFor()
    await settled(phone.page)
    expect(await phone.page.locator('main img').count()).toBe(1)
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await phone.page.getByRole('textbox', { name: /^Username/ }).fill('nobody')
    await phone.page
      .getByLabel(/^Password/)
      .first()
      .fill('wrong')
    await phone.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await phone.page.getByText('Check Username and Password').first().waitFor()
    // Without TLS a browser leaves the header out of account at any host but its own, and says so.
    expect(phone.complaints.filter((one) => !one.includes('Cross-Origin-Opener-Policy header has been ignored'))).toEqual([])
  } finally {
    await elsewhere.close()
  }
  const plain = await openWindow(browser, product.origin)
  await plain.page.goto('/login')
  await settled(plain.page)
  expect(await plain.page.getByText('Westwind Trust').count()).toBe(0)
  expect([...complaints, ...plain.complaints]).toEqual([])
})
