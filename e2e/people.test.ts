// People come in by a file of which some rows are faulty, and from a directory whose plan is seen before anything happens.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { base, openDirectory, person, reader, readerPassword, type LittleDirectory } from '#areas/directories/server/slapd.fixture.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let browser: Browser
let ada: Person
let slapd: LittleDirectory

beforeAll(async () => {
  slapd = await openDirectory()
  slapd.modify(['mary', 'june', 'sue'].map((uid) => person(uid)).join('\n'))
  product = await startProduct({ CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' })
  browser = await openBrowser()
  ada = (await setUp(product, 'ada')).administrator
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await slapd.stop()
})

test('a file of people is checked as a whole, and its good rows come in', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/search/user')
  await settled(page)
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await page.waitForURL('**/identity/user/import')
  const rows = Array.from({ length: 50 }, (_, at) =>
    at % 10 === 0 ? `Given ${at},,nobody` : `Given ${at},Family ${at},row${at}@example.org`,
  )
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(`First name,Surname,Mail\n${rows.join('\n')}\n`) })
  await page.getByRole('button', { name: 'Check rows' }).click()
  await page.getByText('45 new, 0 changed, 0 as they were, 5 with faults').waitFor()
  await page.getByRole('table', { name: 'Rows with faults' }).waitFor()
  await page.getByRole('button', { name: 'Import without the faulty rows' }).click()
  await page.getByText('The import has run').waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Undo import' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a directory shows its plan before anything happens, and does what was shown', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await ada.call(directories.calls.add, {
    name: 'Head office',
    kind: 'ldap',
    host: '127.0.0.1',
    port: slapd.securePort,
    security: 'ldaps',
    roots: slapd.certificate,
    bindDn: reader,
    password: readerPassword,
    baseDn: base,
    filter: defaultFilter.ldap,
    mapping: defaultMapping.ldap,
  })
  await page.goto('/workflowLdapSync')
  await settled(page)
  await page.getByRole('button', { name: 'Plan a sync of Head office' }).click()
  await page.waitForURL('**/workflowLdapSync/plan/*')
  await page.getByText('Given mary Family mary').first().waitFor()
  await page.getByRole('button', { name: 'Run this plan' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run this plan' }).click()
  await page.getByText('Successfully updated LDAP users').waitFor({ timeout: 60_000 })
  await page.goto('/search/user?text=mary@example.org')
  await page.getByRole('link', { name: 'Family mary, Given mary' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})
