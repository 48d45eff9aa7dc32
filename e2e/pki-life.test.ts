// What comes after the issuing, in Chromium: many certificates at once, a drill before the day, what is said of a renewal, an authority that gets a successor, gives
// a cross-certificate, stands for one that is offline and is revoked in the end, and strangers who ask without an account.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { portal } from '#areas/portal/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { to } from '#core/contract/paths.ts'
import { openBrowser, openWindow, openWindowOf, settled, type Window } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { startProduct, type Product } from './support/product.ts'
import { shows } from './support/steps.ts'
import { openWorkbench } from './support/workbench.ts'

const bench = openWorkbench()
let product: Product
let browser: Browser
let estate: Estate
let ada: Window
let page: Page

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  estate = await furnish(product)
  ada = await openWindowOf(browser, product.origin, estate.ada)
  page = ada.page
  await page.goto('/home')
  await settled(page)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
  bench.clear()
})

async function issued(name: string): Promise<string> {
  const { requestId } = await estate.ada.call(certificates.calls.requestForDevice, {
    templateId: estate.serverTemplateId,
    csr: estate.csr(name),
    values: {},
  })
  return (await estate.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).certificateId ?? ''
}

describe('Many certificates', () => {
  test('are counted by a drill that changes nothing', async () => {
    for (const number of [1, 2, 3]) await issued(`fleet-${number}.northwind.example`)
    const before = (await estate.ada.call(certificates.calls.search, { status: ['revoked'] })).total
    await page.goto(to(revocation.screens.drills))
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Before the day')
    await page.getByRole('button', { name: 'Run drill' }).click()
    await page.getByRole('heading', { level: 1, name: 'Before the day' }).waitFor()
    expect(await shows(page, 'Holders cut off')).toBe(true)
    expect((await estate.ada.call(certificates.calls.search, { status: ['revoked'] })).total).toBe(before)
  })

  test('are chosen with Shift, named with their number, and revoked while one watches', async () => {
    await page.goto('/search/certificate')
    await settled(page)
    await page
      .getByRole('textbox', { name: /Name, serial/ })
      .or(page.getByRole('searchbox'))
      .first()
      .fill('fleet')
    // They stand on the first page of the whole list, too: what is chosen there is let go when the search takes effect.
    await page.getByText('1 to 3 of 3').waitFor()
    const boxes = page.getByRole('table').getByRole('checkbox', { name: /^Select fleet/ })
    await boxes.first().click()
    await boxes.last().click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Revoke certificates' }).click()
    await page.getByRole('heading', { level: 1, name: 'Revoke 3 certificates' }).waitFor()
    await page.getByRole('radio', { name: /^Superseded/ }).check()
    await page.getByRole('textbox', { name: /Type 3 to go on/ }).fill('3')
    await page.getByRole('button', { name: 'Revoke 3 certificates' }).click()
    await page.getByText('3 revoked').first().waitFor()
    expect((await estate.ada.call(certificates.calls.search, { text: 'fleet' })).rows.map(({ status }) => status)).toEqual([
      'revoked',
      'revoked',
      'revoked',
    ])
  })
})

describe('A certificate', () => {
  test('says on its page what will become of it', async () => {
    await page.goto(to(certificates.screens.view, { certId: estate.certId }))
    const part = page.getByRole('region', { name: 'Renewal' })
    await part.getByRole('link', { name: 'Attempts so far and details' }).click()
    await settled(page)
    expect(await shows(page, /It can be renewed|It is renewed|It is not renewed/)).toBe(true)
  })
})

describe('An authority', () => {
  test('gets a successor with a key of its own, which takes over', async () => {
    await page.goto(to(authorities.screens.renew, { id: estate.caId }))
    await page.getByRole('radio', { name: /New key: a successor/ }).check()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Create successor' }).click()
    await page.getByRole('img', { name: /Northwind Issuing until .*, Northwind Issuing 2 until/ }).waitFor()
    await page.getByRole('radio', { name: 'Now' }).check()
    await page.getByRole('button', { name: 'Let it take over' }).click()
    await page.getByText(/The successor took over/).waitFor()
    const certId = await issued('after.northwind.example')
    expect((await estate.ada.call(certificates.calls.info, { certId })).certificate.caName).toBe('Northwind Issuing 2')
  })

  test('certifies an authority of others, which then chains to its root', async () => {
    bench.run(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'partner.key',
      '-out',
      'partner.pem',
      '-days',
      '900',
      '-subj',
      '/CN=Partner Root',
    )
    await page.goto(to(authorities.screens.cross, { id: estate.rootId }))
    await page.getByRole('textbox', { name: /Its certificate or request/ }).fill(bench.read('partner.pem').toString())
    await page.getByRole('button', { name: 'Issue cross-certificate' }).click()
    await page.getByRole('link', { name: 'CN=Partner Root' }).or(page.getByText('CN=Partner Root')).first().waitFor()
    const { given } = await estate.ada.call(authorities.calls.life, { caId: estate.rootId })
    expect(given.map(({ subject }) => subject)).toContain('CN=Partner Root')
  })

  test('whose key is elsewhere is known by its certificate', async () => {
    await page.goto(to(authorities.screens.offline))
    await page.getByRole('textbox', { name: /Name in Chancery/ }).fill('Partner vault')
    await page.getByRole('textbox', { name: /Its certificate/ }).fill(bench.read('partner.pem').toString())
    await page.getByRole('button', { name: 'Add offline authority' }).click()
    await page.getByRole('heading', { level: 1, name: 'Partner vault' }).waitFor()
    expect(await shows(page, 'Offline: its key is not here')).toBe(true)
  })

  test('is revoked by its issuer only when its name is typed, and then issues nothing', async () => {
    const { caId } = await estate.ada.call(authorities.calls.create, {
      kind: 'subordinate',
      friendlyName: 'Northwind Short',
      subject: { CN: 'Northwind Short' },
      issuerId: estate.rootId,
    })
    await page.goto(to(revocation.screens.revokeAuthority, { id: caId }))
    await page.getByRole('radio').first().check()
    await page.getByRole('button', { name: 'Revoke authority' }).click()
    await page.getByRole('textbox', { name: /Type the name of the authority/ }).fill('Northwind Short')
    await page.getByRole('button', { name: 'Revoke authority' }).click()
    await page.getByRole('heading', { level: 1, name: 'Northwind Short' }).waitFor()
    expect(await shows(page, 'Revoked')).toBe(true)
  })
})

describe('A stranger', () => {
  test('asks under an address that somebody gave away, and collects by the receipt', async () => {
    await page.goto('/config/certificateservices/templates')
    await page
      .getByRole('row', { name: /^TLS server/ })
      .getByRole('button', { name: /^Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Open to anonymous requests' }).click()
    await expect.poll(() => page.getByRole('row', { name: /^TLS server/ }).textContent()).toContain('Yes')
    await page.goto(to(portal.screens.config))
    await page.getByRole('button', { name: 'Create an address' }).click()
    await page.getByRole('button', { name: 'Create a new address' }).waitFor()
    const { address = '' } = await estate.ada.call(portal.calls.settings, {})

    const stranger = (await openWindow(browser, product.origin)).page
    await stranger.goto(address)
    await stranger.getByRole('textbox', { name: 'Certificate request (CSR)' }).fill(estate.csr('stranger.example'))
    await stranger.getByRole('button', { name: 'Send request' }).click()
    await stranger.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()

    const waiting = (await estate.bob.call(certificates.calls.searchApprovals, {})).rows.find(({ subject }) =>
      subject.includes('stranger.example'),
    )
    // The template asks one to agree, and a stranger may be that one.
    for (const approver of [estate.bob, estate.ada])
      await approver.call(certificates.calls.decide, { requestId: waiting?.requestId ?? '', round: 1, verdict: 'approve' })
    await stranger.getByRole('button', { name: 'Show its status' }).click()
    await stranger.getByRole('button', { name: 'Download certificate' }).waitFor()
    expect(await shows(stranger, 'Issued')).toBe(true)
  })
})
