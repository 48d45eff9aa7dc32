// The desk as a new user would try it: the page of a denied request becomes a ticket, the agent answers from mail and leaves a note that reaches nobody,
// twelve are closed at once, and an approval, a ticket and a timesheet are done in one list.

import { createTransport } from 'nodemailer'
import type { Browser } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { tickets } from '#areas/tickets/contract.ts'
import { timesheets } from '#areas/timesheets/contract.ts'
import { mondayOf, weekAfter } from '#areas/timesheets/rules.ts'
import { to } from '#core/contract/paths.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import { invite, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let estate: Estate
let browser: Browser
let desk: Person
let cleo: Person
let mailPort: number
let outgoing: SMTPServer
const letters: { to: string; replyTo: string; text: string }[] = []

beforeAll(async () => {
  mailPort = await freePort()
  const smtpPort = await freePort()
  outgoing = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, respond) {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
      stream.on('end', () => {
        letters.push({ to: envelope.rcptTo[0]?.address ?? '', replyTo: /^Reply-To: (\S+)/im.exec(text)?.[1] ?? '', text })
        respond()
      })
    },
  })
  await new Promise<void>((resolve) => void outgoing.listen(smtpPort, '127.0.0.1', resolve))
  product = await startProduct({ CHANCERY_MAIL_IN_PORT: String(mailPort), CHANCERY_SMTP_URL: `smtp://127.0.0.1:${smtpPort}` })
  browser = await openBrowser()
  estate = await furnish(product)
  desk = estate.ada
  const names = ['timesheetOverview', 'workflow', 'ticketAdd', 'ticketView', 'changePassword']
  await desk.call(roles.calls.add, { name: 'Field worker', description: '', view: names, menu: names, api: names })
  cleo = await invite(product, desk, 'cleopatra', 'Field worker')
})
afterAll(async () => {
  estate.clear()
  await browser.close()
  await product.stop()
  await new Promise<void>((resolve) => outgoing.close(resolve))
})

/** As the agent's mail program would answer: to where the letter says. The relay in between has proved who sent it. */
async function answerFromMail(text: string): Promise<void> {
  const isHers = ({ to, replyTo }: (typeof letters)[number]) => to.startsWith('ada@') && replyTo !== ''
  await expect.poll(() => letters.some(isHers)).toBe(true)
  const { to, replyTo } = letters.findLast(isHers) ?? { to: '', replyTo: '' }
  const transport = createTransport({ lmtp: true, host: '127.0.0.1', port: mailPort, ignoreTLS: true } as object)
  const headers = { 'Authentication-Results': 'mx.example.org; dmarc=pass header.from=example.org' }
  await transport.sendMail({ from: to, to: replyTo, subject: 'Re: your ticket', text, headers })
}

test('an approval, a ticket and a timesheet wait in one list and are done there; a denial is told on the page of the request', async () => {
  const [hers, its] = [await openWindowOf(browser, product.origin, cleo), await openWindowOf(browser, product.origin, desk)]
  const week = weekAfter(mondayOf(new Date().toISOString().slice(0, 10)), -1)
  await hers.page.goto(`/timesheets/manage/overview/week/${week}`)
  await settled(hers.page)
  await hers.page.getByRole('button', { name: 'Add entry' }).press('Enter')
  const entry = hers.page.getByRole('group', { name: 'Entry 1' })
  await entry.getByRole('textbox', { name: /^From/ }).fill('8')
  await entry.getByRole('textbox', { name: /^To/ }).fill('1630')
  await entry.getByRole('textbox', { name: /^Activity/ }).fill('Readers in the depot')
  await hers.page.getByRole('button', { name: 'Save and submit' }).press('Enter')
  await hers.page.getByRole('button', { name: 'Take week back' }).waitFor()
  expect((await cleo.call(timesheets.calls.week, { week })).minutes).toBe(480)
  await cleo.call(tickets.calls.add, { title: 'Where is my card?', category: 'General', description: 'Text' })

  const { page } = its
  await page.goto('/workflow')
  const waiting = page.getByRole('region', { name: 'Waiting for me' }).getByRole('listitem')
  await waiting.getByText('Where is my card?').waitFor()
  const timesheet = waiting.filter({ hasText: 'Timesheet to approve' })
  await timesheet.getByRole('button', { name: /^Approve/ }).click()
  await timesheet.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Take/ }).click()
  await page.getByRole('button', { name: /^Take/ }).waitFor({ state: 'detached' })
  const request = waiting.filter({ hasText: 'Request for a certificate' })
  await request.getByRole('button', { name: /^Deny/ }).click()
  await request.getByRole('textbox', { name: /^Why/ }).fill('The name is not registered')
  await request.getByRole('button', { name: 'Send', exact: true }).click()
  await request.waitFor({ state: 'detached' })
  await hers.page.reload()
  await hers.page.getByText('Approved').first().waitFor()

  const asked = await openWindowOf(browser, product.origin, estate.bob)
  await asked.page.goto(`/transactionHistory/csrCheckRedirector/${estate.caId}/${estate.waitingRequestId}`)
  await asked.page.getByText('The name is not registered').first().waitFor()
  await asked.page.goto(`/transactionHistory/csrCheckRedirector/${estate.rootId}/..%2f..%2fevil`)
  await asked.page.getByRole('heading', { name: 'There is no such request' }).waitFor()
  expect([...hers.complaints, ...its.complaints, ...asked.complaints]).toEqual([])
})

test('the page of a denied request becomes a ticket, is answered from mail and noted in silence, and twelve tickets are closed at once', async () => {
  const [hers, its] = [await openWindowOf(browser, product.origin, estate.bob), await openWindowOf(browser, product.origin, desk)]
  await hers.page.goto(to(certificates.screens.add, { entity: 'device' }, { request: estate.waitingRequestId }))
  await hers.page.getByText('The name is not registered').first().waitFor()
  await hers.page.getByRole('button', { name: 'Help', exact: true }).click()
  const opened = hers.page.waitForEvent('popup')
  await hers.page.getByRole('link', { name: 'Raise a ticket about this page' }).click()
  const page = await opened
  await page.getByRole('textbox', { name: /^Title/ }).fill('My request was denied')
  await page.getByRole('textbox', { name: /^Description/ }).fill('The name is registered since Monday')
  await page.getByRole('button', { name: 'Create ticket' }).click()
  await page.waitForURL('**/support/ticket/*/view')
  await page.getByRole('region', { name: 'About this' }).getByRole('link').first().waitFor()
  const ticketId = Number(/ticket\/(\d+)\/view/.exec(page.url())?.[1])

  await answerFromMail('Ask once more, the register was old.\n\nOn Monday, Bob wrote:\n> It was refused\n')
  await page.getByRole('listitem').filter({ hasText: 'Ask once more, the register was old.' }).waitFor()
  expect(await page.getByText('It was refused').count()).toBe(0)

  await its.page.goto(`/support/ticket/${ticketId}/view`)
  await its.page.getByRole('textbox', { name: /^Your message/ }).fill('He asks every week')
  await its.page.getByRole('checkbox', { name: /^Internal note/ }).check()
  await its.page.getByRole('button', { name: 'Send message' }).click()
  await its.page.getByRole('listitem').filter({ hasText: 'He asks every week' }).waitFor()
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'Ask once more' }).waitFor()
  expect(await page.getByText('He asks every week').count()).toBe(0)
  expect(letters.some(({ text }) => text.includes('every week'))).toBe(false)

  for (let more = 2; more < 12; more += 1)
    await cleo.call(tickets.calls.add, { title: `Another ${more}`, category: 'Other', description: 'Text' })
  await its.page.goto('/support/myTickets')
  await settled(its.page)
  await its.page
    .getByRole('checkbox', { name: /all|page/i })
    .first()
    .check({ force: true })
  await its.page.getByRole('button', { name: /Select all 12/ }).click()
  await its.page.getByRole('button', { name: 'Close tickets' }).click()
  await its.page.getByRole('dialog').getByRole('button', { name: 'Close tickets' }).click()
  await its.page.getByText('Selected tickets have been closed.').waitFor()
  expect((await desk.call(tickets.calls.metrics, {})).ticketCounts).toEqual({ open: 0, inProgress: 0, closed: 12 })
  expect([...hers.complaints, ...its.complaints]).toEqual([])
})
