// The page of a card without an account, in Chromium: from the public page by its link, with the client on this machine, to a new PIN.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from '#apps/agent/agent.ts'
import { startWithReaders } from '#apps/agent/built-in.ts'
import { portal } from '#areas/portal/contract.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import { users } from '#areas/users/contract.ts'
import { clientAddresses } from '#core/contract/client-ports.ts'
import { openBrowser, openWindow, settled } from './support/browser.ts'
import { setUp } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

const { calls } = smartcards
const inReader = { readerName: 'Virtual reader' }
const passphrase = 'a quiet river under stones'

let product: Product
let browser: Browser
let agent: Agent
let address: string
const folder = mkdtempSync(join(tmpdir(), 'chancery-client-'))

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  const authority = { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }
  const grace = (await setUp(product, 'grace', authority)).administrator
  agent = await startWithReaders({ version: 'test', origin: product.origin, folder, port: 0, virtual: true, pcsc: false, say: () => {} })
  const connect = async () => {
    const [{ SessionCookie }, GRPCConfig] = [await grace.call(calls.ticket, {}), await grace.call(calls.clientConfig, {})]
    const answer = await fetch(`http://127.0.0.1:${agent.port}/connect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: product.origin },
      body: JSON.stringify({ SessionCookie, GRPCConfig }),
    })
    expect(answer.status).toBe(200)
  }
  await connect()
  const { templates } = await grace.call(calls.choices, {})
  const templateId = templates[0]?.templateId ?? ''
  const { id: cardTemplateId } = await grace.call(calls.addTemplate, {
    name: 'Staff card',
    slots: [
      { slot: '9A', algorithm: 'P-256', templateId },
      { slot: '9E', algorithm: 'P-256', templateId },
    ],
  })
  const { serial } = await grace.call(calls.register, { card_id: inReader })
  const [{ id: graceId = '' } = {}] = (await grace.call(users.calls.search, { text: 'grace' })).rows
  await grace.call(calls.issue, { card_id: inReader, cardTemplateId, user_ids: [graceId], new_pin: '246813' })
  await grace.call(calls.changePassphrase, { card_id: { serial }, new_passphrase: passphrase })
  await grace.call(calls.killSession, {})
  address = (await grace.call(portal.calls.renew, {})).address
})
afterAll(async () => {
  await agent?.close()
  await browser?.close()
  await product?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a person without a session changes the PIN of their card, and unblocks it by its passphrase', async () => {
  const { page, complaints } = await openWindow(browser, product.origin)
  // The blank card in the second reader offers the same.
  const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
  const said = (text: string) => page.getByText(text).first().waitFor()
  // The client has any free port here, where the product has a fixed one.
  await page.route(`${clientAddresses[0] ?? ''}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const body = route.request().postData()
    const answer = await fetch(`http://127.0.0.1:${agent.port}${pathname}`, {
      method: route.request().method(),
      headers: { origin: product.origin, 'content-type': 'application/json' },
      ...(body === null ? {} : { body }),
    })
    await route.fulfill({
      status: answer.status,
      headers: { 'access-control-allow-origin': product.origin, 'access-control-allow-headers': 'content-type' },
      body: await answer.text(),
    })
  })
  const { pathname, search } = new URL(address)
  await page.goto('/anonymousportal/manageSmartcard')
  await said('open the whole address that you were given')
  await page.goto(pathname + search)
  await page.getByRole('link', { name: 'Manage a smartcard' }).click()
  await button('Connect this machine').click()
  await page.getByRole('heading', { name: 'Virtual reader', exact: true }).waitFor()
  expect(await page.getByText('grace').count()).toBe(0)
  await button('Change PIN').click()
  await page.getByLabel(/^Present PIN/).fill('999111')
  await page.getByLabel(/^New PIN/).fill('357924')
  await button('Change PIN').click()
  await said('Incorrect PIN.')
  await page.getByLabel(/^Present PIN/).fill('246813')
  await button('Change PIN').click()
  await said('Successfully changed PIN')
  await button('Unblock by secret questions').click()
  await said('has set no secret questions')
  await button('Cancel').click()
  await button('Unblock by passphrase').click()
  await page.getByLabel(/^Passphrase/).fill(passphrase)
  await page.getByLabel(/^New PIN/).fill('864209')
  await button('Unblock card').click()
  await said('Successfully reset card PIN')
  await settled(page)
  // Whoever leaves the page leaves no client behind.
  await page.goBack()
  await expect.poll(() => agent.state().link.person).toBe('')
  expect(complaints).toEqual([])
})
