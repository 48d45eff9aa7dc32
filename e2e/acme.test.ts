// A certificate by certbot from a fresh installation, by clicks: a directory, a key for the machine, and the command line that the console shows. It renews,
// and a name that cannot be proven tells in the console what was seen.

import { rmSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { freePort } from '#core/testing/free-port.ts'
import { newFolder, run } from './protocols/acme-clients.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { choose, openFromMenu } from './support/steps.ts'

const here = [{ type: 'A', value: '127.0.0.1' }] as const
const folder = newFolder('certbot')
let dns: LittleNameServer
let product: Product
let browser: Browser
let page: Page
let complaints: string[]
let ada: Person
let httpPort: number

beforeAll(async () => {
  dns = await openNameServer({ 'www.example.org': here, 'broken.example.org': here })
  httpPort = await freePort()
  product = await startProduct({
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  browser = await openBrowser()
  ;({ page, complaints } = await openWindowOf(browser, product.origin, ada))
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
  await dns?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a line as it was copied, beside folders of its own, which the machine's own certbot keeps. */
const certbot = (line: string): Promise<string> =>
  run('sh', ['-c', `${line} --config-dir config --work-dir work --logs-dir logs`], { cwd: folder })

/** The line of the screen, with a name that somebody has put in the place of the example's. */
async function lineFor(name: string): Promise<string> {
  await page.getByRole('button', { name: 'Copy certbot' }).click()
  await page.getByText('Copied').first().waitFor({ state: 'attached' })
  return (await page.evaluate<string>('navigator.clipboard.readText()')).replace(/-d \S+$/, `-d ${name}`)
}

test('a directory whose template would let clients wait is made with a copy that does not', async () => {
  await page.goto('/home')
  await settled(page)
  await openFromMenu(page, 'Enrolment', 'ACME')
  await page.getByRole('link', { name: 'New directory' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web servers')
  await choose(page, 'Template', /TLS server/)
  await page.getByRole('button', { name: 'Make a copy without approval' }).click()
  await page.getByText('Clients of this template wait').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Ports and vantage points/ }).click()
  await page.getByLabel(/^Port of http-01/).fill(String(httpPort))
  await page.getByRole('button', { name: 'Create directory' }).click()
  await page.getByText('EAB_KID and EAB_HMAC_KEY stand for').waitFor()
  const { rows } = await ada.call(acme.calls.directories, {})
  expect(rows.map(({ templates }) => templates)).toEqual([['TLS server (ACME)']])
})

test('certbot has a certificate by the line that the screen shows, and renews it', async () => {
  await page.getByRole('button', { name: 'New EAB key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('www')
  await dialog.getByRole('button', { name: 'Make key' }).click()
  await dialog.getByText('The HMAC key is not shown again.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const line = await lineFor('www.example.org')
  expect(line).not.toContain('EAB_')
  expect(await certbot(line)).toContain('Successfully received certificate')
  expect(await certbot('certbot renew --force-renewal --non-interactive --no-random-sleep-on-renew')).toContain('all renewals succeeded')
  const { rows } = await ada.call(certificates.calls.search, { text: 'www.example.org' })
  expect(rows.map(({ status }) => status)).toEqual(['active', 'active'])
})

test('a name that cannot be proven tells in the console what was seen', async () => {
  // Certbot answers at another port than the one that the directory asks.
  const line = (await lineFor('broken.example.org')).replace(/--http-01-port \d+/, `--http-01-port ${await freePort()}`)
  await expect(certbot(line)).rejects.toThrow(/Some challenges have failed/)
  await page.goto('/config/acme?tab=orders')
  await settled(page)
  await page.getByRole('link', { name: 'broken.example.org' }).click()
  await page.getByText(`Asks for http://broken.example.org:${httpPort}/.well-known/acme-challenge/`).waitFor()
  await page.getByText('broken.example.org gave no answer').waitFor()
  expect(complaints).toEqual([])
})
