// A ticket from both sides: raised from the page that refused something, answered while the requester looks, noted internally, closed with others.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tickets } from '#areas/tickets/contract.ts'
import { openBrowser, openWindowOf, settled, type Window } from './support/browser.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let browser: Browser
let desk: Person
let ada: Person

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  desk = (await setUp(product, 'desk')).administrator
  ada = await invite(product, desk, 'ada', 'User')
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

const window = (person: Person): Promise<Window> => openWindowOf(browser, product.origin, person)
const ticketOf = (page: Page): number => Number(/\/support\/ticket\/(\d+)\/view/.exec(page.url())?.[1])

test('a ticket about a page is raised with a file, answered live, noted in silence and closed with another', async () => {
  const [hers, its] = [await window(ada), await window(desk)]
  await hers.page.goto('/support/myTickets')
  await settled(hers.page)
  await hers.page.getByRole('button', { name: 'Help', exact: true }).click()
  // In a tab beside the page, which may be a form that is half filled in.
  const opened = hers.page.waitForEvent('popup')
  await hers.page.getByRole('link', { name: 'Raise a ticket about this page' }).click()
  const page = await opened
  await page.getByRole('textbox', { name: /^Title/ }).fill('The reader is not found')
  await page.getByRole('textbox', { name: /^Description/ }).fill('1. Plug it in\n2. Nothing')
  await page.locator('input[type="file"]').setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('no reader') })
  await page.getByRole('button', { name: 'Create ticket' }).click()
  await page.waitForURL('**/support/ticket/*/view')
  await page.getByRole('button', { name: 'log.txt', exact: true }).waitFor()
  await page.getByRole('link', { name: '/support/myTickets' }).waitFor()
  const ticketId = ticketOf(page)

  await its.page.goto(`/support/ticket/${ticketId}/view`)
  const write = async (text: string, internal: boolean) => {
    await its.page.getByRole('textbox', { name: /^Your message/ }).fill(text)
    if (internal) await its.page.getByRole('checkbox', { name: /^Internal note/ }).check()
    await its.page.getByRole('button', { name: 'Send message' }).click()
    await its.page.getByRole('listitem').filter({ hasText: text }).waitFor()
  }
  await write('She asks every week', true)
  await write('Which reader is it?', false)
  // Hers is told by the stream: nothing is loaded anew by hand.
  await page.getByRole('listitem').filter({ hasText: 'Which reader is it?' }).waitFor()
  expect(await page.getByText('She asks every week').count()).toBe(0)

  const second = await ada.call(tickets.calls.add, { title: 'Another one', category: 'Other', description: 'Text' })
  await its.page.goto('/support/myTickets')
  for (const title of ['The reader is not found', 'Another one'])
    await its.page.getByRole('checkbox', { name: new RegExp(title) }).check({ force: true })
  await its.page.getByRole('button', { name: 'Close tickets' }).click()
  await its.page.getByRole('dialog').getByRole('button', { name: 'Close tickets' }).click()
  await its.page.getByText('Selected tickets have been closed.').waitFor()
  expect((await ada.call(tickets.calls.read, { ticketId: second.ticketId })).ticketStatus).toBe('TICKET_STATUS_CLOSED')
  expect([...hers.complaints, ...its.complaints]).toEqual([])
})
