// The whole main job as somebody who has just unpacked the product would try it: by the link on the terminal, in Chromium, with a second person, and with
// a second tenancy whose administrator then tries everything of the first one's.

import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { fillPath, paramNames, to } from '#core/contract/paths.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { openBrowser, openWindow, settled, type Window } from './support/browser.ts'
import { judges } from './support/judges.ts'
import { startProduct, type Product } from './support/product.ts'
import { activateAccount, choose, copiedLink, jump, openFromMenu, shows, tabTo, walkThroughWizard, type Account } from './support/steps.ts'
import { openWorkbench } from './support/workbench.ts'

const bench = openWorkbench()
let product: Product
let browser: Browser
let ada: Window
let bob: Window
let dora: Window
let adasAccount: Account
let bobsAccount: Account
let ocsp: string

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  ada = await openWindow(browser, product.origin)
  bob = await openWindow(browser, product.origin)
  dora = await openWindow(browser, product.origin)
})
afterAll(async () => {
  bench.clear()
  await browser.close()
  await product.stop()
})

function request(name: string): string {
  bench.run(
    'openssl',
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name}`,
  )
  return bench.read(`${name}.csr`).toString()
}

async function downloaded(page: Page, button: string, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button, exact: true }).click()])
  return bench.write(name, readFileSync(await download.path()))
}

/** The person's own session, used by program. */
async function callerOf({ context }: Window): Promise<Caller> {
  const cookies = await context.cookies()
  return caller(product.origin, {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    'x-xsrf-token': cookies.find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '',
    connection: 'close',
  })
}

const www = 'www.northwind.example'

describe('the main job, by mouse', () => {
  test('the link on the terminal leads through the wizard to a home page with the next steps', async () => {
    adasAccount = await walkThroughWizard(ada.page, product.setupLink, {
      username: 'ada',
      givenName: 'Ada',
      familyName: 'Lovelace',
      organisation: 'Northwind',
    })
    const steps = ada.page.getByRole('region', { name: 'First steps' })
    await steps.waitFor()
    for (const done of ['Create an authority', 'Offer a template'])
      expect(await steps.getByRole('listitem').filter({ hasText: done }).getByLabel('Done', { exact: true }).count()).toBe(1)
    expect(await steps.getByRole('listitem').filter({ hasText: 'Add a second person' }).getByLabel('Not done yet').count()).toBe(1)
  })

  test('the link works once', async () => {
    await bob.page.goto(product.setupLink)
    await settled(bob.page)
    expect(await shows(bob.page, 'Chancery is set up already')).toBe(true)
  })

  test('a template is told to ask one other person', async () => {
    const { page } = ada
    await openFromMenu(page, 'Templates')
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    await choose(page, 'Approvers of a request', 'One other person')
    await page.getByRole('button', { name: 'Save template' }).click()
    await page.getByRole('row', { name: /^Device .*One other approves/ }).waitFor()
    expect(await page.getByText('Template saved').count()).toBeGreaterThan(0)
  })

  test("a second person gets a link, and activates the account with a password and a code of one's own", async () => {
    const { page } = ada
    await page.goto('/home')
    await page.getByRole('link', { name: /Add a second person/ }).click()
    await page.getByRole('textbox', { name: 'Given name' }).fill('Bob')
    await page.getByRole('textbox', { name: 'Family name' }).fill('Builder')
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('bob@example.org')
    await page.getByRole('textbox', { name: 'Username' }).fill('bob')
    await choose(page, 'Roles', 'Certificate officer')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add user' }).click()
    bobsAccount = await activateAccount(bob.page, 'bob', await copiedLink(page))
    await settled(bob.page)
    // Home has no card with nothing to show.
    await bob.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(await bob.page.getByRole('region', { name: 'Waiting for my approval' }).count()).toBe(0)
  })

  test('the first asks with a pasted CSR and sees beforehand what will come of it', async () => {
    const { page } = ada
    await openFromMenu(page, 'Request', 'For any device')
    await choose(page, 'Template', /^Device/)
    await page.getByRole('textbox', { name: 'Certificate request (CSR)' }).fill(request(www))
    await page.getByRole('main').getByText(`CN=${www}`).first().waitFor()
    await page.getByRole('button', { name: 'Request certificate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()
    expect(await shows(page, 'It waits for approval.')).toBe(true)
  })

  test('the first cannot approve it, the second can', async () => {
    await ada.page.goto(to(certificates.screens.approvals))
    await settled(ada.page)
    expect(await shows(ada.page, 'Nothing waits for you')).toBe(true)
    const { page } = bob
    await page.goto('/home')
    await page
      .getByRole('main')
      .getByRole('link', { name: new RegExp(www) })
      .first()
      .click()
    await page.getByText('Your approval is the last one that is needed').waitFor()
    await page.getByRole('textbox', { name: 'Comment' }).fill('As agreed on Monday')
    await page.getByRole('button', { name: 'Approve request' }).click()
    await page.getByText('Approved and issued').first().waitFor()
  })

  test('the first finds the certificate and downloads it; OpenSSL verifies chain and status', async () => {
    const { page } = ada
    await page.goto('/search/certificate')
    await page.getByRole('link', { name: www }).first().click()
    await page.getByRole('heading', { level: 1, name: www }).waitFor()
    await page.getByRole('tab', { name: 'Chain and files' }).click()
    await downloaded(page, 'Certificate (PEM)', 'leaf.pem')
    await downloaded(page, 'Everything (PEM)', 'whole.pem')
    // Leaf, issuing authority and root, in this order.
    const [, issuing = '', root = ''] =
      bench
        .read('whole.pem')
        .toString()
        .match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? []
    bench.write('issuing.pem', issuing)
    bench.write('root.pem', root)
    expect(judges.opensslChain(bench, 'leaf.pem', '-purpose', 'sslserver', '-verify_hostname', www)).toMatchObject({ ok: true })
    ocsp = bench.run('openssl', 'x509', '-in', 'leaf.pem', '-noout', '-ocsp_uri').trim()
    expect(judges.ocspByPost(bench, 'leaf.pem', ocsp)).toMatchObject({
      verdict: 'good',
      text: expect.stringContaining('Response verify OK'),
    })
  })

  test('the first revokes it with a reason, and OCSP says so at once', async () => {
    const { page } = ada
    await page.getByRole('link', { name: 'Revoke certificate' }).click()
    await page.getByRole('radio', { name: /Key compromise/ }).check()
    await page.getByRole('button', { name: 'Revoke certificate' }).click()
    await page.getByText('Certificate revoked').first().waitFor()
    expect(judges.ocspByPost(bench, 'leaf.pem', ocsp)).toMatchObject({
      verdict: 'revoked',
      text: expect.stringContaining('Reason: keyCompromise'),
    })
    await page.getByRole('main').getByText('Revoked', { exact: true }).first().waitFor()
  })
})

describe('the main job, by keyboard alone', () => {
  const name = 'keys.northwind.example'

  test('signing in', async () => {
    const { context, page } = ada
    await context.clearCookies()
    await page.goto('/login')
    await tabTo(page, page.getByRole('textbox', { name: 'Username' }))
    await page.keyboard.type(adasAccount.username)
    await tabTo(page, page.getByLabel(/^Password/))
    await page.keyboard.type(adasAccount.password)
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Code' }))
    await page.keyboard.type(await adasAccount.codes.nextCode())
    await page.keyboard.press('Enter')
    await page.waitForURL('**/home')
    const account = page.getByRole('button', { name: 'Account of Ada Lovelace' })
    await account.waitFor()
    await settled(page)
    expect(await account.count()).toBe(1)
  })

  test('asking', async () => {
    const { page } = ada
    await jump(page, 'Request for a device')
    await tabTo(page, page.getByRole('combobox', { name: 'Template' }).or(page.getByRole('textbox', { name: 'Template' })))
    await page.keyboard.press('Enter')
    await page.keyboard.type('Device')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Certificate request (CSR)' }))
    await page.keyboard.insertText(request(name))
    await page.getByRole('main').getByText(`CN=${name}`).first().waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { level: 1, name: 'Request sent' }).waitFor()
    expect(await shows(page, 'It waits for approval.')).toBe(true)
  })

  test('approving', async () => {
    const { page } = bob
    await page.goto('/home')
    await settled(page)
    await jump(page, 'Approvals')
    await tabTo(page, page.getByRole('main').getByRole('link', { name: new RegExp(name) }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Approve request' }))
    await page.keyboard.press('Space')
    await page.getByText('Approved and issued').first().waitFor()
    expect(await shows(page, '1 of 1 approvals')).toBe(true)
  })

  test('finding, and revoking', async () => {
    const { page } = ada
    await jump(page, name)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Revoke certificate' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('radio').first())
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, page.getByRole('button', { name: 'Revoke certificate' }))
    await page.keyboard.press('Enter')
    await page.getByText('Certificate revoked').first().waitFor()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByRole('link', { name: 'Revoke certificate' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('main').getByText('Revoked', { exact: true }).count()).toBeGreaterThan(0)
  })
})

describe('a second tenancy', () => {
  const missing = '01890000-0000-7000-8000-000000000000'

  test('is made in the console, with an administrator of its own', async () => {
    const { page } = ada
    await openFromMenu(page, 'Settings', 'Managed tenancies')
    await page.getByRole('link', { name: 'New tenancy' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Contoso')
    await page.getByRole('textbox', { name: 'Given name' }).fill('Dora')
    await page.getByRole('textbox', { name: 'Family name' }).fill('Explorer')
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('dora@example.org')
    await page.getByRole('textbox', { name: 'Username' }).fill('dora')
    await page.getByRole('button', { name: 'Create tenancy' }).click()
    await activateAccount(dora.page, 'dora', await copiedLink(page))
    await settled(dora.page)
    expect(await dora.page.getByRole('banner').textContent()).toContain('Contoso')
  })

  test('neither sees nor reaches anything of the first: each known id answers as one that does not exist, by address and by call', async () => {
    const [first, second] = await Promise.all([callerOf(ada), callerOf(dora)])
    const rows = <T>({ rows: found }: { rows: T[] }): T[] => found
    const known = {
      certificate: rows(await first.call(certificates.calls.search, {})).map((row) => row.certificateId),
      serial: rows(await first.call(certificates.calls.search, {})).map((row) => row.serialNumber),
      request: rows(await first.call(certificates.calls.requests, {})).map((row) => row.requestId),
      authority: rows(await first.call(authorities.calls.list, {})).map((row) => row.id),
      template: rows(await first.call(templates.calls.list, {})).map((row) => row.templateId),
      user: rows(await first.call(users.calls.search, {})).map((row) => row.id),
      role: rows(await first.call(roles.calls.search, {})).map((row) => row.id),
    }
    for (const ids of Object.values(known)) expect(ids.length).toBeGreaterThan(1)
    expect(bobsAccount.username).toBe('bob')

    // Nothing of it in what the second sees by itself.
    const listed = JSON.stringify(
      await Promise.all([
        second.call(certificates.calls.search, {}),
        second.call(certificates.calls.requests, {}),
        second.call(certificates.calls.searchApprovals, {}),
        second.call(authorities.calls.list, {}),
        second.call(templates.calls.list, {}),
        second.call(users.calls.search, {}),
        second.call(roles.calls.search, {}),
        second.call(revocation.calls.search, {}),
        second.call(revocation.calls.lists, {}),
      ]),
    )
    for (const id of Object.values(known).flat()) expect(listed).not.toContain(id)

    const calls = [
      [
        known.certificate,
        [certificates.calls.info, 'certId'],
        [certificates.calls.download, 'certId'],
        [revocation.calls.options, 'certId'],
        [revocation.calls.status, 'certId'],
        [revocation.calls.view, 'certId'],
      ],
      [known.serial, [certificates.calls.info, 'certId']],
      [known.request, [certificates.calls.approval, 'requestId'], [certificates.calls.statusByRequest, 'rid']],
      [known.authority, [authorities.calls.view, 'caId'], [authorities.calls.activity, 'caId'], [authorities.calls.download, 'caId']],
      [known.template, [templates.calls.get, 'templateId'], [templates.calls.extensions, 'templateId']],
      [known.user, [users.calls.read, 'id']],
      [known.role, [roles.calls.read, 'id']],
    ] as const
    const answerOf = async (call: { name: string; path: string }, field: string, id: string) => {
      const inPath = paramNames(call.path).includes(field)
      const query = new URLSearchParams({ ...(inPath ? {} : { [field]: id }), ...(call.name === 'download' ? { format: 'pem' } : {}) })
      const response = await second.fetch(`${inPath ? fillPath(call.path, { [field]: id }) : call.path}?${query}`)
      return { status: response.status, body: (await response.text()).replaceAll(id, '').replace(/"reference":"[^"]*"/, '') }
    }
    for (const [ids, ...reads] of calls) {
      for (const [call, field] of reads) {
        const nothing = await answerOf(call, field, missing)
        expect(nothing.status).toBe(404)
        for (const id of ids) expect(await answerOf(call, field, id)).toEqual(nothing)
      }
    }

    const screens = [
      [known.certificate[0], certificates.screens.view, 'certId'],
      [known.certificate[0], revocation.screens.revoke, 'certId'],
      [known.request[0], certificates.screens.approval, 'id'],
      [known.authority[0], authorities.screens.manage, 'id'],
      [known.template[0], templates.screens.manage, 'id'],
      [known.user[0], users.screens.view, 'id'],
      [known.user[0], users.screens.edit, 'id'],
      [known.role[0], roles.screens.view, 'id'],
    ] as const
    const { page } = dora
    const shown = async (path: string, field: string, id: string) => {
      await page.goto(fillPath(path, { [field]: id }))
      await settled(page)
      return ((await page.getByRole('main').textContent()) ?? '').replace(/Reference \S+/, '')
    }
    for (const [id = '', screen, field] of screens) {
      const nothing = await shown(screen.path, field, missing)
      expect(nothing).toMatch(/does not exist|There is no|not found/i)
      expect(await shown(screen.path, field, id)).toBe(nothing)
    }
  })

  test('and all the while no page complained', () => {
    expect([...ada.complaints, ...bob.complaints, ...dora.complaints]).toEqual([])
  })
})
