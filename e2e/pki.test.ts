// The rest of the PKI as people meet it, each part begun and ended in Chromium: tokens, templates that ask two, keys archived and recovered, revocations that
// wait, authorities lent to another tenancy, certificates of others, the map, the report, the verdict on a chain.

import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { setup } from '#areas/setup/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { to } from '#core/contract/paths.ts'
import { openBrowser, openWindowOf, settled, type Window } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { activate, invite, newPassword, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { choose, openFromMenu, shows } from './support/steps.ts'
import { openWorkbench } from './support/workbench.ts'

const bench = openWorkbench()
let hsm: SoftHsm
let product: Product
let browser: Browser
let estate: Estate
let eve: Person
let ada: Window
let bob: Window
let eves: Window

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('Vault', '246810')
  product = await startProduct({ CHANCERY_PKCS11_MODULES: hsm.modulePath })
  browser = await openBrowser()
  estate = await furnish(product)
  eve = await invite(product, estate.ada, 'eve', 'Certificate officer')
  ada = await openWindowOf(browser, product.origin, estate.ada)
  bob = await openWindowOf(browser, product.origin, estate.bob)
  eves = await openWindowOf(browser, product.origin, eve)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
  bench.clear()
  hsm.close()
})

async function downloaded(page: Page, act: () => Promise<void>, name: string): Promise<void> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  bench.write(name, readFileSync(await download.path()))
}

const confirmed = (page: Page, action: string) => page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()

const rowAction = async (page: Page, row: RegExp, action: string): Promise<void> => {
  await page
    .getByRole('row', { name: row })
    .getByRole('button', { name: /^Actions/ })
    .click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

describe('A token', () => {
  test('is registered, holds the key of a new authority, and says so when it is pulled out and when it is back', async () => {
    const { page } = ada
    await page.goto('/home')
    await settled(page)
    await openFromMenu(page, 'Keys')
    await page.getByRole('main').getByRole('link', { name: 'Register token' }).first().click()
    await page.getByRole('textbox', { name: 'Name in Chancery' }).fill('Vault')
    await page.getByLabel(/^PIN/).fill('246810')
    await page.getByRole('button', { name: 'Register token' }).click()
    await page.getByRole('link', { name: 'Vault', exact: true }).waitFor()

    await page.goto(`${to(authorities.screens.manage, { id: 'new' })}?kind=subordinate&issuer=${estate.rootId}`)
    await page.getByRole('textbox', { name: 'Common name' }).fill('Northwind Vault CA')
    await choose(page, 'Where the key lives', 'On the token Vault')
    await page.getByRole('button', { name: 'Create authority' }).click()
    await page.getByRole('heading', { level: 1, name: 'Northwind Vault CA' }).waitFor()

    const check = async () => {
      await openFromMenu(page, 'Keys')
      await page.getByRole('link', { name: 'Vault', exact: true }).click()
      await page.getByRole('button', { name: 'Check token' }).click()
    }
    hsm.takeAway()
    try {
      await check()
      expect(
        await page
          .getByText('Vault is unavailable')
          .first()
          .waitFor()
          .then(() => true),
      ).toBe(true)
    } finally {
      hsm.putBack()
    }
    await check()
    await page.getByText('Vault is available').first().waitFor()
    await page.getByRole('tab', { name: 'Keys' }).click()
    const keys = page.getByRole('table', { name: 'Keys on this token' })
    await keys.waitFor()
    expect(await keys.getByRole('row', { name: /Yes/ }).count()).toBe(1)
  })
})

describe('A template', () => {
  const name = 'sign.northwind.example'

  test('made from a profile asks two others, and nothing is issued before both have agreed', async () => {
    const { page } = ada
    await page.goto(to(templates.screens.manage, { id: 'new' }))
    await page.getByRole('button', { name: /^TLS server/ }).click()
    await choose(page, 'Approvers of a request', '2 other people')
    await page.getByRole('button', { name: 'Create template' }).click()
    await page.getByRole('heading', { level: 1, name: 'TLS server 2' }).waitFor()

    await openFromMenu(page, 'Request', 'For any device')
    await choose(page, 'Template', /^TLS server 2/)
    await page.getByRole('textbox', { name: 'Certificate request (CSR)' }).fill(estate.csr(name))
    await page.getByRole('button', { name: 'Request certificate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()

    for (const [who, after] of [
      [bob, '1 of 2 approvals'],
      [eves, '2 of 2 approvals'],
    ] as const) {
      await who.page.goto(to(certificates.screens.approvals))
      await who.page
        .getByRole('link', { name: new RegExp(name) })
        .first()
        .click()
      await who.page.getByRole('button', { name: 'Approve request' }).click()
      expect(await shows(who.page, after)).toBe(true)
    }
    await page.goto('/search/certificate')
    await page.getByRole('link', { name }).first().click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    expect(await page.getByRole('main').getByText('Active', { exact: true }).count()).toBeGreaterThan(0)
  })
})

describe('A key that is archived', () => {
  test('is made here, handed out once, and recovered only when another has agreed', async () => {
    const { page } = ada
    await page.goto(to(templates.screens.manage, { id: 'new' }))
    await page.getByRole('button', { name: /^S\/MIME/ }).click()
    await page.getByText('Further extensions', { exact: true }).last().click()
    await page.getByRole('switch', { name: /^Archive keys/ }).check()
    await choose(page, 'Approvers of a request', 'Nobody')
    await page.getByRole('button', { name: 'Create template' }).click()
    await page.getByRole('heading', { level: 1, name: 'S/MIME' }).waitFor()

    await openFromMenu(page, 'Request', 'For another person')
    await choose(page, 'Template', /^S\/MIME/)
    await page.getByRole('radio', { name: 'Make the key for me' }).check()
    await page.getByRole('button', { name: 'Request certificate' }).click()
    const password = newPassword()
    await page.getByLabel(/^Password for the file/).fill(password)
    await downloaded(page, () => page.getByRole('button', { name: 'Make key and download' }).click(), 'first.p12')

    await openFromMenu(page, 'Key archive')
    await rowAction(page, /Ada/, 'Ask for recovery')
    await page.getByRole('textbox', { name: 'Reason' }).fill('The card was lost and the mail must be read')
    await page.getByRole('button', { name: 'Ask for the key' }).click()
    await page.getByText('0 of 1 agreed').waitFor()

    await bob.page.goto('/pki/key-archive/recoveries')
    await rowAction(bob.page, /The card was lost/, 'Agree to recovery')
    await confirmed(bob.page, 'Agree to recovery')
    await bob.page.getByText('Agreed').or(bob.page.getByText('Approved')).first().waitFor()

    await page.reload()
    await page.getByRole('button', { name: /^Fetch the key of/ }).click()
    const second = newPassword()
    await page.getByLabel(/^Password for the file/).fill(second)
    await downloaded(page, () => page.getByRole('button', { name: 'Download key and certificates' }).click(), 'second.p12')
    const keyIn = (file: string, secret: string) =>
      bench.run('openssl', 'pkcs12', '-in', file, '-nocerts', '-nodes', '-passin', `pass:${secret}`).replace(/^[^-]+/, '')
    expect(keyIn('second.p12', second)).toBe(keyIn('first.p12', password))
  })
})

describe('A revocation that asks another', () => {
  test('waits in the list, is agreed to by somebody else, and then shows', async () => {
    await ada.page.goto('/credentials/certificates/revocations/searchPending')
    await ada.page.getByRole('link', { name: /printer\.northwind\.example/ }).click()
    await settled(ada.page)
    expect(await ada.page.getByRole('button', { name: 'Approve revocation' }).count()).toBe(0)
    const { page } = bob
    await page.goto('/credentials/certificates/revocations/searchPending')
    await page.getByRole('link', { name: /printer\.northwind\.example/ }).click()
    await page.getByRole('button', { name: 'Approve revocation' }).click()
    await page.getByText('Certificate revoked').first().waitFor()
    await page.goto('/credentials/certificates/revocations/searchPending')
    expect(await shows(page, 'Nothing waits')).toBe(true)
  })
})

describe('An authority lent to another tenancy', () => {
  test('is offered there with its template as long as the licence lasts', async () => {
    const { oid: tenantId, activationLink } = await estate.ada.call(setup.calls.addTenancy, {
      name: 'Fabrikam',
      bannerColour: '#207a3c',
      administrator: { username: 'fay', givenName: 'Fay', familyName: 'Example', emailAddress: 'fay@example.org' },
    })
    const fay = await openWindowOf(browser, product.origin, await activate(product, 'fay', activationLink))
    const { page } = ada
    await openFromMenu(page, 'Settings', 'Licences')
    await page.getByRole('link', { name: 'Fabrikam', exact: true }).click()
    const section = page.getByRole('region', { name: 'Northwind Issuing' })
    const mayUse = section.getByRole('switch', { name: 'May use this authority' })
    await mayUse.click()
    await section.getByRole('switch', { name: /^TLS server(?! 2)/ }).click()
    await expect
      .poll(
        async () =>
          (await estate.ada.call(licensing.calls.licences, { tenantId })).authorities
            .flatMap(({ templates: all }) => all)
            .filter(({ licence }) => licence.enabled).length,
      )
      .toBe(1)

    await fay.page.goto('/credentials/certificates/device/add')
    await choose(fay.page, 'Template', /^TLS server \(Northwind Issuing/)
    await fay.page.getByRole('textbox', { name: 'Certificate request (CSR)' }).fill(estate.csr('client.fabrikam.example'))
    await fay.page.getByRole('button', { name: 'Request certificate' }).click()
    await fay.page.getByRole('heading', { level: 1, name: /Request sent|Certificate issued/ }).waitFor()

    await mayUse.click()
    await expect.poll(() => mayUse.isChecked()).toBe(false)
    await fay.page.goto('/credentials/certificates/device/add')
    await settled(fay.page)
    expect(await fay.page.getByText('TLS server').count()).toBe(0)
  })
})

describe('Certificates of others', () => {
  test('are read when they are dropped, saved, and found in the inventory', async () => {
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
      'other.key',
      '-out',
      'other.pem',
      '-days',
      '90',
      '-subj',
      '/CN=partner.example',
      '-addext',
      'subjectAltName=DNS:partner.example',
    )
    const { page } = ada
    await openFromMenu(page, 'Inventory')
    await page.getByRole('main').getByRole('link', { name: 'Upload', exact: true }).click()
    await page.getByRole('textbox', { name: 'Certificates' }).fill(bench.read('other.pem').toString())
    await page.getByRole('table', { name: 'What is in it' }).getByText('partner.example').first().waitFor()
    await page.getByRole('button', { name: 'Save certificates' }).click()
    await page.getByRole('link', { name: 'partner.example' }).click()
    await page.getByRole('heading', { level: 1, name: 'partner.example' }).waitFor()
    expect(await page.getByRole('link', { name: 'Revoke certificate' }).count()).toBe(0)
  })
})

describe('Pictures and counts', () => {
  test('the map leads from an authority to just its certificates', async () => {
    const { page } = ada
    await openFromMenu(page, 'Authorities', 'Map')
    await page.getByRole('button', { name: 'Tree' }).click()
    const count = page
      .getByRole('main')
      .getByRole('link', { name: /^\d+ active/ })
      .first()
    const said = Number(/^\d+/.exec((await count.textContent()) ?? '')?.[0])
    await count.click()
    await settled(page)
    expect(new URL(page.url()).pathname).toBe('/search/certificate')
    await page.getByRole('table').getByRole('row').nth(said).waitFor()
    expect(await page.getByRole('table').getByRole('row').count()).toBe(said + 1)
  })

  test('the report counts what was issued, and comes as CSV', async () => {
    const { page } = ada
    await openFromMenu(page, 'Certificates')
    await page
      .getByRole('table', { name: 'Certificate report' })
      .getByRole('row', { name: /Northwind Issuing/ })
      .waitFor()
    await downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click(), 'report.csv')
    expect(bench.read('report.csv').toString()).toContain('Northwind Issuing')
  })
})

describe('The decoder', () => {
  test('gives its verdict on a certificate, and on the same for another name', async () => {
    const { content } = await estate.ada.call(certificates.calls.download, { certId: estate.certId, format: 'pem' })
    const { page } = ada
    await page.goto('/admin/certificate/decodepem')
    await page.getByRole('tab', { name: 'Verify' }).click()
    await page.getByRole('textbox', { name: 'Certificate', exact: true }).fill(Buffer.from(content, 'base64').toString())
    await page.getByRole('checkbox', { name: /^Trust this organisation/ }).check()
    await page.getByRole('textbox', { name: 'Name' }).fill('www.northwind.example')
    await page.getByRole('button', { name: 'Verify certificate' }).click()
    await page.getByLabel('Good').first().waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('evil.example')
    await page.getByRole('button', { name: 'Verify certificate' }).click()
    await page.getByLabel('Refused').first().waitFor()
    expect(await page.getByLabel('Good').count()).toBeGreaterThan(0)
  })
})

describe('The collect page', () => {
  test('waits for the certificate and then shows it', async () => {
    const { requestId } = await estate.ada.call(certificates.calls.requestForDevice, {
      templateId: estate.serverTemplateId,
      csr: estate.csr('later.northwind.example'),
      values: {},
    })
    const { page } = ada
    await page.goto(`/admin/certificate/collect?ca=${estate.caId}&id=${requestId}`)
    await page.getByText(/waits to be approved and issued/).waitFor()
    await estate.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
    await page.getByRole('heading', { level: 1, name: 'later.northwind.example' }).waitFor()
    expect(decodeURIComponent(new URL(page.url()).pathname)).toMatch(
      new RegExp(`^/credentials/certificates/view/${estate.caId}[:/][0-9A-Fa-f]+$`),
    )
  })
})
