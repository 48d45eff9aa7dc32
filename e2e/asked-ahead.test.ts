// The lists of the menu: their rows are asked for while the pointer rests on the link, and not a second time when the list opens.

import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { health } from '#areas/health/contract.ts'
import { jobs } from '#areas/jobs/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { renewal } from '#areas/renewal/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import type { Call } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { openMenu } from './support/steps.ts'

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

/** `from`: a tab of the same entry, where the list stands in a tab and not in the menu itself. */
const lists: { at: string; call: Call; from?: string }[] = [
  { at: to(certificates.screens.approvals), call: certificates.calls.searchApprovals },
  { at: to(certificates.screens.mine), call: certificates.calls.requests, from: to(certificates.screens.approvals) },
  { at: to(revocation.screens.revocations), call: revocation.calls.search },
  { at: to(renewal.screens.list), call: renewal.calls.search },
  { at: to(authorities.screens.manage), call: authorities.calls.list },
  { at: to(templates.screens.manage), call: templates.calls.list },
  { at: to(health.screens.overview), call: health.calls.overview, from: to(authorities.screens.manage) },
  { at: to(audit.screens.dashboard), call: audit.calls.search },
  { at: to(mail.screens.outbox), call: mail.calls.outbox },
  { at: to(bulk.screens.runs), call: bulk.calls.search, from: to(jobs.screens.list) },
  { at: to(jobs.screens.list), call: jobs.calls.search },
]

test('each list of the menu is asked for while the pointer rests on its link, and not again when it opens', async () => {
  const { page } = await openWindowOf(browser, product.origin, ada)
  // What was asked ahead counts for seconds. None of them passes for the page, however long this machine takes from the pointer to the click.
  await page.clock.setFixedTime(new Date())
  const sent: string[] = []
  const saying = (request: Request) => `${new URL(request.url()).pathname} ${request.postData()}`
  page.on('request', (request) => void sent.push(saying(request)))
  for (const { at, call, from = '/config/tenancy' } of lists) {
    // A page of its own for each: what was read before stays read.
    await page.goto(from)
    await settled(page)
    // Waited for from here, because a link may come under the pointer where a group of the menu opens.
    const ahead = page.waitForRequest((request) => new URL(request.url()).pathname === call.path)
    await openMenu(page)
    const link = page.getByRole('navigation').locator(`a[href="${at}"]`)
    await link.hover()
    const asked = saying(await ahead)
    expect(page.url()).toContain(from)
    sent.length = 0
    await link.click()
    await page.waitForURL(`**${at}`)
    await settled(page)
    expect(sent.filter((one) => one === asked)).toEqual([])
  }
})
