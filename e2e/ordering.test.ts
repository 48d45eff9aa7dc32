// A certificate from an external ACME authority, by clicks: the authority is added, a name is ordered, its certificate stands in the inventory and its key is
// collected; and a name that cannot be proven tells what the authority saw. The authority is our own ACME server, reached as any other: over TLS.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { openWebServer, type WebServer } from '#areas/acme/server/client.fixture.ts'
import { ordering } from '#areas/ordering/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { openSecureFront, type SecureFront } from './support/secure-front.ts'
import { choose } from './support/steps.ts'

const bench = openToolFolder()
const here = [{ type: 'A', value: '127.0.0.1' }] as const
let dns: LittleNameServer
let web: WebServer
let front: SecureFront
let product: Product
let browser: Browser
let page: Page
let complaints: string[]
let directoryUrl: string
let ada: Person

beforeAll(async () => {
  dns = await openNameServer({ localhost: here, 'www.example.org': here, 'broken.example.org': here })
  web = await openWebServer()
  front = await openSecureFront(bench)
  product = await startProduct({
    CHANCERY_ORIGIN: front.origin,
    CHANCERY_TRUST_PROXY: '127.0.0.1',
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  front.leadTo(product.origin)
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  const { rows } = await ada.call(templates.calls.list, {})
  const templateId = rows.find(({ templateName }) => templateName === 'TLSServer')?.templateId ?? ''
  const { caName: _, updatedAt: __, ...template } = await ada.call(templates.calls.get, { templateId })
  await ada.call(templates.calls.edit, { ...template, issueApprovers: 0 })
  const profiles = [{ name: 'default', templateId }]
  directoryUrl = (await ada.call(acme.calls.addDirectory, { name: 'Web servers', httpPort: web.port, profiles, eabRequired: false })).url
  browser = await openBrowser()
  ;({ page, complaints } = await openWindowOf(browser, front.origin, ada))
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
  await front?.close()
  await web?.close()
  await dns?.close()
  bench.remove()
})

test('an authority is added once its directory has answered and its terms are agreed to', async () => {
  await page.goto('/config/acme?tab=external')
  await settled(page)
  await page.getByRole('link', { name: 'Add an authority' }).first().click()
  await page.waitForURL('**/config/acme/authority/new')
  await page.getByRole('textbox', { name: 'Name', exact: false }).first().fill('Neighbour')
  await page.getByRole('textbox', { name: /^Directory/ }).fill(directoryUrl)
  await page.getByRole('button', { name: /^Chain and trust/ }).click()
  await page.getByRole('textbox', { name: /^Roots of its web server/ }).fill(bench.read('front-root.pem').toString())
  await page.getByRole('button', { name: 'Read directory' }).click()
  await page.getByText('The directory answers').waitFor()
  await page.getByText('It says when to renew (ARI).').waitFor()
  await page.getByRole('checkbox', { name: 'I agree to the terms of service of this authority' }).check()
  await page.getByRole('button', { name: 'Add authority' }).click()
  await page.getByRole('link', { name: 'Neighbour' }).waitFor()
  expect(complaints).toEqual([])
})

async function order(name: string): Promise<void> {
  await page.goto('/credentials/certificates/le/upload')
  await settled(page)
  await page.getByRole('link', { name: 'New order' }).first().click()
  await page.waitForURL('**/credentials/certificates/le/new')
  await choose(page, 'Authority', 'Neighbour')
  await page
    .getByLabel(/^Names/)
    .first()
    .fill(name)
  await page.getByRole('radio', { name: /The web server of the name forwards to this server/ }).check()
  await page.getByRole('button', { name: 'Order certificate' }).click()
  await page.waitForURL('**/credentials/certificates/le/order/*')
}

test('a name that cannot be proven tells what the authority saw, and the order is cleared', async () => {
  web.answer = () => ({ status: 418, body: 'a teapot' })
  await order('broken.example.org')
  const alert = page.getByRole('alert').filter({ hasText: 'Failed at this step: Validation' })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/broken\.example\.org: .*418/)
  await page.getByRole('button', { name: 'Clear order' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear order' }).click()
  await page.getByText('0 of 4').waitFor()
})

test('a name that its web server forwards here goes through the six steps by itself, and its key is collected once', async () => {
  let forwardTo = ''
  web.answer = (path) => {
    const token = /^\/\.well-known\/acme-challenge\/(.+)$/.exec(path)?.[1]
    return token === undefined ? undefined : { status: 302, headers: { location: forwardTo + token }, body: '' }
  }
  const gate = Promise.withResolvers<void>()
  web.gate = gate.promise
  await order('www.example.org')
  const { forwardTo: address = '' } = await ada.call(ordering.calls.order, { id: page.url().split('/').at(-1) ?? '' })
  await page.getByText(address).first().waitFor()
  forwardTo = address
  gate.resolve()
  await page.getByRole('link', { name: 'View certificate' }).waitFor()
  await page.getByText('4 of 4').waitFor()
  await page.getByLabel(/^Password for the file/).fill('correct horse battery')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download key' }).click()
  expect((await download).suggestedFilename()).toBe('www.example.org.p12')
  await page.getByRole('heading', { name: 'Collect key and certificate' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'View certificate' }).click()
  await page.getByRole('heading', { level: 1, name: 'www.example.org' }).waitFor()
  await page.getByRole('heading', { name: 'Ordered by ACME' }).waitFor()
  expect(complaints).toEqual([])
})
