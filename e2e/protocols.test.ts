// Devices that enrol with what the console shows: a profile is made by clicks, a line is copied from its page and run as it stands. SCEP by our own client with
// the challenge behind a link, EST by curl, CMP by OpenSSL, which renews, too. What the template refuses is refused at each door in the same words.

import { execFile } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { protocolRoom } from '#areas/protocols/contract.ts'
import { protocols, type Protocol } from '#areas/protocols/rules.ts'
import { deviceOf, scepClient } from '#areas/protocols/server/scep-client.fixture.ts'
import { templates } from '#areas/templates/contract.ts'
import { FAIL_INFOS } from '#standards/scep/message.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

const folder = openToolFolder()
const tools = openSsl()
let product: Product
let browser: Browser
let page: Page
let complaints: string[]
let ada: Person
let templateId: string

beforeAll(async () => {
  product = await startProduct()
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  const { rows } = await ada.call(templates.calls.list, {})
  templateId = rows.find(({ templateName }) => templateName === 'TLSServer')?.templateId ?? ''
  const { caName: _, updatedAt: __, ...template } = await ada.call(templates.calls.get, { templateId })
  const rules = { ...template.rules, allowedDomains: ['*.example.org'] }
  await ada.call(templates.calls.edit, { ...template, issueApprovers: 0, rules })
  browser = await openBrowser()
  ;({ page, complaints } = await openWindowOf(browser, product.origin, ada))
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
  tools.close()
  folder.remove()
})

const screens = {
  scep: '/config/scep',
  est: '/config/chancery/est',
  cmp: '/config/chancery/cmp',
  windows: '/config/chancery/windows',
} as const

/** The server answers in its own process, and the shell waits for it. */
const run = (script: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('bash', ['-ec', script], { cwd: folder.folder }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${script}\n${stdout}\n${stderr}`)),
    )
  })

async function makeProfile(protocol: Protocol): Promise<void> {
  await page.goto(screens[protocol])
  await settled(page)
  await page
    .getByRole('link', { name: `New ${protocols[protocol].label} profile` })
    .first()
    .click()
  await page.getByRole('textbox', { name: /^Name/ }).fill('Devices')
  await page.getByRole('button', { name: 'Create profile' }).click()
  await page.getByRole('tab', { name: 'Command lines', selected: true }).waitFor()
  await settled(page)
}

async function copiedLines(client: string): Promise<string> {
  await page.getByRole('button', { name: `Copy ${client}` }).click()
  await page.getByText('Copied').first().waitFor({ state: 'attached' })
  return page.evaluate<string>('navigator.clipboard.readText()')
}

/** With a name: good for it, once. Without: for whatever the template allows. */
async function makeSecret(protocol: Protocol, forWhom: string, name?: string): Promise<{ reference: string; secret: string }> {
  await page.goto(`${screens[protocol]}?tab=secrets`)
  await settled(page)
  await page.getByRole('button', { name: 'New secret' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^For/ }).fill(forWhom)
  if (name !== undefined) {
    await dialog
      .getByRole('textbox', { name: /DNS/ })
      .or(dialog.getByRole('combobox', { name: /DNS/ }))
      .first()
      .fill(name)
    await page.keyboard.press('Enter')
  }
  await dialog.getByRole('button', { name: 'Make secret' }).click()
  await dialog.getByText('The secret is not shown again.').waitFor()
  const [reference = '', secret = ''] = await dialog.getByRole('code').allTextContents()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  return { reference, secret }
}

const fill = (lines: string, { reference, secret }: { reference: string; secret: string }): string =>
  lines.replaceAll('REFERENCE', reference).replaceAll(/CHALLENGE|SECRET/g, secret)

/** What the list of transactions says, the newest first. */
async function transactions(protocol: Protocol): Promise<string[]> {
  await page.goto(`${screens[protocol]}?tab=transactions`)
  await settled(page)
  return page.getByRole('table', { name: 'Transactions' }).getByRole('row').allTextContents()
}

const namesIn = (file: string) => run(`openssl x509 -in ${file} -noout -ext subjectAltName`)

test('openssl cmp enrols, renews and ends its certificate with the lines of the page', async () => {
  await makeProfile('cmp')
  const lines = await copiedLines('openssl cmp')
  const secret = await makeSecret('cmp', 'A router', 'router.example.org')
  await run(fill(lines, secret))
  for (const file of ['device.crt', 'next.crt']) expect(await namesIn(file)).toContain('DNS:router.example.org')
  expect((await transactions('cmp')).filter((row) => row.includes('router.example.org'))).toHaveLength(2)
  expect(complaints).toEqual([])
})

test('curl enrols by EST with the lines of the page', async () => {
  await makeProfile('est')
  const lines = await copiedLines('curl and openssl')
  await run(fill(lines, await makeSecret('est', 'A printer', 'router.example.org')))
  expect(await namesIn('device.crt')).toContain('DNS:router.example.org')
  expect(complaints).toEqual([])
})

test('a device enrols by SCEP with the challenge that its link shows once', async () => {
  await makeProfile('scep')
  const [profile] = (await ada.call(protocolRoom.calls.profiles, { protocol: 'scep' })).rows
  await page.goto('/credentials/certificates/scep/request')
  await settled(page)
  await page.getByRole('textbox', { name: /^For/ }).fill('A router')
  await page
    .getByRole('textbox', { name: /DNS/ })
    .or(page.getByRole('combobox', { name: /DNS/ }))
    .first()
    .fill('router.example.org')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link is not shown again.').waitFor()
  await page.goto((await page.getByRole('main').getByRole('code').first().textContent()) ?? '')
  await page.getByRole('button', { name: 'Show challenge' }).click()
  await page.getByRole('button', { name: 'Copy Challenge' }).click()
  const challenge = await page.evaluate<string>('navigator.clipboard.readText()')
  const client = await scepClient((path, init) => fetch(product.origin + path, init), profile?.url ?? '')
  const { csr, holder } = deviceOf(tools, { challenge })
  const { certificates } = await client.send({ type: 'PKCSReq', content: csr, by: holder })
  expect(certificates.length).toBeGreaterThan(0)
  await page.reload()
  await page.getByText('This link is not valid').waitFor()
  expect((await transactions('scep')).some((row) => row.includes('router.example.org') && row.includes('Issued'))).toBe(true)
  expect(complaints).toEqual([])
})

test('what the template refuses is refused at each door in the same words, and the reason stands in the transactions', async () => {
  const refused = 'www.example.com'
  const { csr } = tools.csr({ subject: `/CN=${refused}`, extensions: [`subjectAltName=DNS:${refused}`] })
  const { faults } = await ada.call(certificates.calls.check, { templateId, csr, entity: 'device' })
  const verdict = faults.map(({ says }) => says).join('; ')
  expect(verdict).toContain(refused)
  for (const protocol of ['cmp', 'est'] as const) {
    await page.goto(`${screens[protocol]}?tab=commands`)
    await settled(page)
    const lines = (await copiedLines(protocol === 'cmp' ? 'openssl cmp' : 'curl and openssl')).replaceAll('router.example.org', refused)
    await expect(run(fill(lines, await makeSecret(protocol, 'A team')))).rejects.toThrow()
    expect((await transactions(protocol))[1]).toContain(verdict)
  }
  const { secret } = await makeSecret('scep', 'A team')
  const [profile] = (await ada.call(protocolRoom.calls.profiles, { protocol: 'scep' })).rows
  const client = await scepClient((path, init) => fetch(product.origin + path, init), profile?.url ?? '')
  const device = deviceOf(tools, { challenge: secret, subject: `/CN=${refused}`, names: [refused] })
  const { message } = await client.send({ type: 'PKCSReq', content: device.csr, by: device.holder, transactionId: 'two' })
  expect(message.failInfo).toBe(FAIL_INFOS.badRequest)
  expect((await transactions('scep'))[1]).toContain(verdict)
  expect(complaints).toEqual([])
})
