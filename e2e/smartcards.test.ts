// Cards in Chromium, with the client and the two virtual readers that come with the product: an administrator registers, issues, blocks, unblocks, renews, replaces,
// revokes and reports lost; a person issues the card that was assigned to them, unblocks it by secret questions, and reports it lost.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from '#apps/agent/agent.ts'
import { startWithReaders } from '#apps/agent/built-in.ts'
import { openMemory } from '#apps/agent/memory.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let browser: Browser
let grace: Person
let hal: Person
let page: Page
let complaints: string[]
const agents: Agent[] = []
const folders: string[] = []

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  const authority = { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }
  grace = (await setUp(product, 'grace', authority)).administrator
  hal = await invite(product, grace, 'hal', 'User')
  ;({ page, complaints } = await openWindowOf(browser, product.origin, grace))
})
afterAll(async () => {
  for (const agent of agents) await agent.close()
  await browser.close()
  await product.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** That of the first reader, or of the whole page where it shows none. */
const inReader = (name = 'Virtual reader') => page.getByRole('region', { name, exact: true })
const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true }).first()
const said = (text: string) => page.getByText(text).first().waitFor()
async function choose(label: RegExp, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}

/** A client that knows its server from an earlier connection, whom nobody drives now: it shows a code. */
async function startClient(folder = mkdtempSync(join(tmpdir(), 'chancery-client-'))): Promise<Agent> {
  folders.push(folder)
  const { AgentAddress, AgentPort, ServerKey } = await grace.call(smartcards.calls.clientConfig, {})
  await openMemory(folder).write({ address: AgentAddress, port: AgentPort, pin: ServerKey })
  const agent = await startWithReaders({
    version: 'test',
    origin: product.origin,
    folder,
    port: 0,
    virtual: true,
    pcsc: false,
    say: () => {},
  })
  agents.push(agent)
  await expect.poll(() => agent.state().link.code).toMatch(/^\w{4}-\w{4}$/)
  return agent
}

const answers = ['Green street', 'Blue lake', 'Red book']
async function setQuestions(): Promise<void> {
  await page.goto('/self/resetquestions')
  for (const [at, answer] of answers.entries()) {
    await page.getByRole('combobox', { name: `Question ${at + 1}` }).click()
    await page.getByRole('option').nth(at).click()
    await page.getByLabel(`Answer ${at + 1}`).fill(answer)
  }
  await button('Set questions').click()
  await said('You have set these questions:')
}
async function answerQuestions(): Promise<void> {
  const fields = page.getByLabel(/First street|First holiday|childhood book/)
  for (const [at, answer] of answers.entries()) await fields.nth(at).fill(answer)
}

const stateOfCards = async () => (await grace.call(smartcards.calls.search, {})).rows.map(({ status }) => status)

test('a template of cards is made', async () => {
  await page.goto('/config/smartcard/new')
  await settled(page)
  await page.getByRole('textbox', { name: /^Name/ }).fill('Staff card')
  await choose(/^Key/, /^P-256$/)
  await button('Add template').click()
  await said('The template was added')
  await page.getByRole('link', { name: 'Staff card' }).waitFor()
  expect((await grace.call(smartcards.calls.templateNames, {})).cardTemplates.map(({ name }) => name)).toEqual(['Staff card'])
})

test('without a client the desk says so, and connects the one of the product by the code on its status page', async () => {
  await page.goto('/credentials/smartcards/cms')
  await said('No CMS Client connected')
  const status = /http:\/\/127\.0\.0\.1:\d+\//.exec(product.printed())?.[0] ?? ''
  const statusPage = await page.context().newPage()
  await statusPage.goto(status)
  await statusPage.getByText('to nobody yet').waitFor()
  const code = (await statusPage.locator('code').textContent()) ?? ''
  await page.getByRole('textbox', { name: /^Code/ }).fill(code)
  await button('Connect client').click()
  await page.getByRole('heading', { name: 'Virtual reader', exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Virtual reader 2' }).waitFor()
  await statusPage.getByText('drives the cards in these readers').waitFor()
  await statusPage.close()
  expect(await grace.call(smartcards.calls.ping, {})).toMatchObject({ success: true })
})

test('the card is registered and issued, and each step is shown', async () => {
  await button('Register card').click()
  await said('Registered Smartcard')
  await button('Issue card').click()
  await page.getByRole('group', { name: 'Issue card' }).waitFor()
  await button('Issue card').click()
  await said('Choose a person')
  await page.getByRole('combobox', { name: /^Person/ }).fill('grace')
  await page.getByRole('option', { name: /grace/i }).first().click()
  await page.getByLabel(/^New PIN/).fill('246813')
  await button('Issue card').click()
  await said('Issuing Smartcard')
  await said('Smartcard issued successfully!')
  expect(await stateOfCards()).toEqual(['ISSUED'])
})

test('the PIN is changed: a wrong one is told, a right one taken; three wrong ones block it', async () => {
  await button('Change PIN').click()
  await page.getByLabel(/^Present PIN/).fill('999999')
  await page.getByLabel(/^New PIN/).fill('357924')
  await button('Change PIN').click()
  await said('Incorrect PIN. Tries left: 2')
  await page.getByLabel(/^Present PIN/).fill('246813')
  await button('Change PIN').click()
  await said('Successfully changed PIN')
  await button('Check PIN').click()
  await page.getByLabel(/^Present PIN/).fill('111222')
  for (const says of ['Incorrect PIN.', 'Incorrect PIN.', 'The PIN is blocked.']) {
    await button('Check PIN').click()
    await said(says)
    await settled(page)
  }
  await expect.poll(() => page.getByText('The PIN is blocked.').count()).toBeGreaterThan(0)
  // A wrong PIN is no failure of the machine.
  expect(await page.getByText(/^Reference/).count()).toBe(0)
  await button('Cancel').click()
  await inReader().getByText('PIN blocked').waitFor()
  expect(await button('Change PIN').count()).toBe(0)
})

test('it is unblocked by the desk, then by the secret questions of its holder, and renewed by its PIN', async () => {
  await button('Unblock by secret questions').click()
  await said('You can unblock the card without them.')
  await button('Unblock card').click()
  await page.getByLabel(/^New PIN/).fill('864207')
  await button('Unblock card').click()
  await said('Successfully reset card PIN')
  await setQuestions()
  await page.goto('/credentials/smartcards/cms')
  await button('Unblock by secret questions').click()
  await answerQuestions()
  await page.getByLabel(/^New PIN/).fill('975318')
  await button('Unblock card').click()
  await said('Successfully reset card PIN')
  await button('Renew certificates').click()
  await page.getByLabel(/^Present PIN/).fill('975318')
  await button('Renew certificates').click()
  await said('Certificate renewed successfully!')
  expect(await stateOfCards()).toEqual(['ISSUED'])
})

test('on its page it is suspended and resumed, and stands in the report meanwhile', async () => {
  await inReader().getByRole('link', { name: 'View card' }).click()
  await page.getByText('Authentication (9A)').first().waitFor()
  await button('Suspend card').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Left at home')
  await dialog.getByRole('button', { name: 'Suspend card' }).click()
  await said('Successfully updated card status')
  await button('Resume card').waitFor()
  const view = page.url()
  await page.goto('/credentials/smartcards/suspensions')
  await page.getByText('Left at home').waitFor()
  await page.goto('/credentials/smartcards/reports')
  await page.getByRole('heading', { name: 'Cards by status' }).waitFor()
  await page.goto(view)
  await button('Resume card').click()
  await button('Suspend card').waitFor()
  expect(await stateOfCards()).toEqual(['ISSUED'])
})

test('the card in the second reader is given for a while, and the first one is on hold', async () => {
  const second = inReader('Virtual reader 2')
  await page.goto('/credentials/smartcards/cms')
  await button('Register card', second).click()
  await said('Registered Smartcard')
  await button('Issue temporary card', second).click()
  await page.getByRole('combobox', { name: /^Person/ }).fill('grace')
  await page.getByRole('option', { name: /grace/i }).first().click()
  await page.getByLabel(/^New PIN/).fill('246813')
  await button('Issue temporary card', second).click()
  await said('Smartcard issued successfully!')
  expect((await stateOfCards()).toSorted()).toEqual(['ISSUED', 'SUSPENDED'])
  await inReader().getByText('Suspended').waitFor()
})

test('it is revoked on its page, and unregistered at the desk; the first one is reported lost', async () => {
  await inReader('Virtual reader 2').getByRole('link', { name: 'View card' }).click()
  await button('Revoke card').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke card' }).click()
  await said('Successfully updated card status')
  await page.goto('/credentials/smartcards/cms')
  await button('Clean card', inReader('Virtual reader 2')).click()
  const question = page.getByRole('dialog')
  await question.getByText(/Its keys and certificates are deleted from it/).waitFor()
  await question.getByRole('button', { name: 'Keep card' }).click()
  await button('Unregister card', inReader('Virtual reader 2')).click()
  await button('Unregister card', inReader('Virtual reader 2')).click()
  await said('Smartcard unregistered successfully')
  await button('Register card', inReader('Virtual reader 2')).waitFor()
  await inReader().getByRole('link', { name: 'View card' }).click()
  await button('Report lost').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Report lost' }).click()
  await said('Successfully updated card status')
  expect((await stateOfCards()).toSorted()).toEqual(['LOST', 'UNREGISTERED'])
  expect(complaints).toEqual([])
})

test('a card for somebody else waits for approval, which is said before, meanwhile and afterwards; then it goes on', async () => {
  const second = inReader('Virtual reader 2')
  const ivy = await invite(product, grace, 'ivy', 'Certificate officer')
  await page.goto('/credentials/smartcards/cms')
  await button('Register and issue card', second).click()
  await page.getByRole('combobox', { name: /^Person/ }).fill('hal')
  await page.getByRole('option', { name: /hal/i }).first().click()
  await second.getByText('Approval comes first').waitFor()
  await page.getByLabel(/^New PIN/).fill('246813')
  await button('Issue card', second).click()
  await second.getByText('Issue the certificate (9A): waits for approval').waitFor()
  await second.getByRole('link', { name: 'Requests & approvals' }).waitFor()
  await button('Close', second).click()
  await second.getByText('Issuing for Hal Example waits for approval').waitFor()
  for (const { requestId, round } of (await ivy.call(certificates.calls.searchApprovals, { waitingForMe: true })).rows)
    await ivy.call(certificates.calls.decide, { requestId, round, verdict: 'approve' })
  await page.reload()
  await second.getByText('Issuing for Hal Example was approved').waitFor()
  await button('Go on', second).click()
  await page.getByLabel(/^New PIN/).fill('246813')
  await button('Go on', second).click()
  await said('Smartcard issued successfully!')
  await second.getByRole('list', { name: 'Steps' }).waitFor()
  await button('Revoke card', second).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke card' }).click()
  await said('Successfully updated card status')
  await second.getByText('Revoked', { exact: true }).waitFor()
  await button('Unregister card', second).click()
  await button('Unregister card', second).click()
  await said('Smartcard unregistered successfully')
  expect(complaints).toEqual([])
})

test('a person issues the card that was assigned to them, unblocks it by secret questions and reports it lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-client-'))
  const atDesk = await startClient(folder)
  await grace.call(smartcards.calls.killSession, {})
  await grace.call(smartcards.calls.pair, { code: atDesk.state().link.code })
  const { serial } = await grace.call(smartcards.calls.register, { card_id: { readerName: 'Virtual reader' } })
  const [{ cardTemplateId = '' } = {}] = (await grace.call(smartcards.calls.templateNames, {})).cardTemplates
  const [{ id: halId = '' } = {}] = (await grace.call(users.calls.search, { text: 'hal' })).rows
  await grace.call(smartcards.calls.assign, { card_id: { serial }, user_id: halId, card_template_id: cardTemplateId })
  await grace.call(smartcards.calls.killSession, {})
  await atDesk.close()
  const agent = await startClient(folder)
  ;({ page, complaints } = await openWindowOf(browser, product.origin, hal))
  await setQuestions()
  await page.goto('/self/smartcards')
  await said('No card reader here')
  await button('I have a reader').click()
  await page.getByRole('textbox', { name: /^Code/ }).fill(agent.state().link.code)
  await button('Connect client').click()
  await button('Issue card').click()
  await page.getByLabel(/^New PIN/).fill('246813')
  await button('Issue card').click()
  await said('Smartcard issued successfully!')
  await button('I forgot my PIN').click()
  await button('Unblock card').click()
  await said('4 fields need attention')
  await answerQuestions()
  await page.getByLabel(/^New PIN/).fill('975318')
  await button('Unblock card').click()
  await said('Successfully reset card PIN')
  await button('Report lost').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Report lost' }).click()
  await said('Successfully updated card status')
  expect((await stateOfCards()).toSorted()).toEqual(['LOST', 'LOST', 'UNREGISTERED'])
  expect(complaints).toEqual([])
})
