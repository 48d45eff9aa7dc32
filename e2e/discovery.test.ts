// What is out there: a network is allowed and scanned, fifty findings are taken over and their renewed certificates seen served; the map of the subnet;
// one serial number from a file, a SCIM client and a system that manages devices.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { devices } from '#areas/devices/contract.ts'
import { openMdm } from '#areas/devices/server/managed.fixture.ts'
import { discovery } from '#areas/discovery/contract.ts'
import { defaultPorts } from '#areas/discovery/rules.ts'
import { openServers } from '#areas/discovery/server/servers.fixture.ts'
import { templates } from '#areas/templates/contract.ts'
import { openBrowser, openWindowOf, settled, type Window } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

const [servers, mdm] = [await openServers(), await openMdm()]
const fleet = Array.from({ length: 50 }, (_, at) => `127.64.20.${at + 1}`)
let product: Product
let browser: Browser
let ada: Person
let hers: Window

beforeAll(async () => {
  product = await startProduct({ CHANCERY_OUTWARD_ALLOW: '127.64.0.0/16,127.0.0.1/32', CHANCERY_OUTWARD_PORTS: String(mdm.port) })
  browser = await openBrowser()
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  hers = await openWindowOf(browser, product.origin, ada)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await servers.close()
  await mdm.close()
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const tags = async (page: Page, label: string, ...values: readonly string[]) => {
  const box = page.getByRole('dialog').getByRole('combobox', { name: label }).or(page.getByRole('dialog').getByLabel(label)).first()
  for (const value of values) {
    await box.fill(value)
    await box.press('Enter')
  }
}

test('a network is allowed and scanned, shows what is about to break, and fifty findings are renewed and seen served', async () => {
  const { page } = hers
  for (const [at, address] of fleet.entries()) servers.serve(address, { name: `host-${at}.example.org`, days: 20 })
  servers.serve('127.64.20.60', { name: 'old.example.org', days: -1 })
  await page.goto('/identity/device/ipam')
  await settled(page)
  await button(page, 'New subnet').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Subnet' }).fill('127.64.20.0/24')
  await button(page, 'Add subnet').click()
  await page.getByRole('link', { name: '127.64.20.0/24' }).click()
  for (const [address, name] of [
    ['127.64.20.1', 'host-0'],
    ['127.64.20.200', 'quiet-host'],
  ] as const) {
    await button(page, 'Write an address').click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Address', exact: true }).fill(address)
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  await page.goto('/config/discovery/allowed')
  await settled(page)
  await button(page, 'Ask for a network').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Network' }).fill('127.64.0.0/16')
  await button(page, 'Ask for it').click()
  await button(page, 'Allow 127.64.0.0/16').click()
  await page.getByText('Allowed', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Scans', exact: true }).click()
  await settled(page)
  await button(page, 'New scan').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('Fleet')
  await tags(page, 'Looks at', '127.64.20.0/26')
  const ports = page.getByRole('dialog').getByLabel('Ports').first()
  for (const _port of defaultPorts) await ports.press('Backspace')
  await tags(page, 'Ports', String(servers.port))
  await button(page, 'Add scan').click()
  await button(page, 'Run Fleet').click()
  await page.getByText('Done', { exact: true }).waitFor()
  await page.getByText(/64 of 64 places gone through, 51 answered, 51 new/).waitFor()

  await page.goto('/reporting/discovery')
  await settled(page)
  await page.getByRole('main').getByRole('link', { name: /^50 / }).first().waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Expired', exact: true }).click()
  await page.getByText('old.example.org').first().waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Close to expiry', exact: true }).click()
  await page
    .getByText(/^host-\d+\.example\.org/)
    .first()
    .waitFor()
  await page.getByRole('checkbox', { name: 'Select this page' }).check({ force: true })
  await button(page, /^Select all 50/).click()
  await button(page, 'Take over').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()
  await page.getByText('50 findings taken over').first().waitFor()

  // The bar of the week leads to the fifty alone: what has expired ends in none.
  await page.goto('/reporting/discovery')
  await settled(page)
  await page.getByRole('link', { name: /^Certificates, week from .*: 50$/ }).click()
  await page
    .getByText(/^host-\d+\.example\.org/)
    .first()
    .waitFor()
  expect(new URL(page.url()).searchParams.get('show')).toBe('all')
  expect(await page.getByText('old.example.org').count()).toBe(0)

  const offered = (await ada.call(templates.calls.offered, { entity: 'device' })).templates
  const templateId = offered.find(({ templateName }) => templateName === 'TLSServer')?.templateId ?? ''
  const { caName: _, updatedAt: __, ...template } = await ada.call(templates.calls.get, { templateId })
  await ada.call(templates.calls.edit, { ...template, issueApprovers: 0 })
  for (const address of fleet) {
    const { certificateId = '' } = await ada.call(certificates.calls.requestForDevice, {
      templateId,
      csr: servers.request(address),
      values: {},
    })
    servers.replace(address, (await ada.call(certificates.calls.info, { certId: certificateId })).certificate.pem)
  }
  await expect.poll(async () => (await ada.call(discovery.calls.overview, {})).awaited).toBe(50)
  await page.goto('/reporting/discovery')
  await button(page, 'Look now').click()
  await page.getByText('50 seen served, 0 awaited').waitFor()
})

test('the map of a subnet shows what is used, silent and unknown', async () => {
  const { page } = hers
  await page.goto('/identity/device/ipam')
  await page.getByRole('link', { name: '127.64.20.0/24' }).click()
  const map = page.getByRole('toolbar')
  await map.waitFor()
  const cells = ['127.64.20.1, Used, host-0', '127.64.20.200, Silent, quiet-host', '127.64.20.2, Unknown', '127.64.20.99, Free']
  const shown = cells.map((name) => map.getByRole('button', { name, exact: true }).count())
  expect(await Promise.all(shown)).toEqual([1, 1, 1, 1])
})

test('a device from a file, a SCIM client and a system that manages devices with one serial makes one conflict, which is merged and taken back', async () => {
  const { page } = hers
  await page.goto('/identity/device/batch')
  await settled(page)
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from('name,serial,type\nLaptop of Lea,SHARED-9,Laptop\n') })
  await button(page, 'Check rows').click()
  await button(page, 'Import all rows').click()
  await page.getByText('The import has run').waitFor()

  const serial = 'urn:ietf:params:scim:schemas:extension:dpp:2.0:Device'
  const told = await ada.fetch('/scim/v2/Devices', {
    method: 'POST',
    headers: { 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Device', serial],
      displayName: 'lea-laptop',
      active: true,
      [serial]: { serialNumber: 'shared-9' },
    }),
  })
  expect(told.status).toBe(201)
  mdm.devices = [{ id: 'm1', deviceName: 'LEA-LAPTOP', serialNumber: 'SHARED-9', operatingSystem: 'Windows' }]
  await page.goto('/identity/device/sources')
  await settled(page)
  await button(page, /^New /).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Managed')
  await dialog.getByRole('textbox', { name: 'Address of its list' }).fill(mdm.url)
  await dialog.getByLabel(/^Token/).fill(mdm.token)
  await dialog.getByRole('textbox', { name: /ertificates/ }).fill(mdm.roots)
  await dialog.getByRole('button', { name: /^Add/ }).click()
  await dialog.waitFor({ state: 'detached' })
  await button(page, 'Actions for Managed').click()
  await page.getByRole('menuitem', { name: 'Read now' }).click()
  await expect.poll(async () => (await ada.call(devices.calls.conflicts, { state: ['open'] })).rows[0]?.devices.length).toBe(3) // prettier-ignore

  await page.goto('/identity/device/conflicts')
  await settled(page)
  await page.getByRole('radio', { name: /^Keep Laptop of Lea/ }).check({ force: true })
  await button(page, 'Merge into the kept one').click()
  await page.getByText('Merged', { exact: true }).waitFor()
  await page.getByText('Nothing to decide').waitFor()
  const [kept, ...others] = (await ada.call(devices.calls.search, { text: 'SHARED-9' })).rows
  expect([kept?.name, others]).toEqual(['Laptop of Lea', []])
  await button(page, 'Take the merge back').click()
  await page.getByText('Kept apart', { exact: true }).waitFor()
  expect((await ada.call(devices.calls.search, { text: 'SHARED-9' })).total).toBe(3)
  expect(hers.complaints).toEqual([])
})
