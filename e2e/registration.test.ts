// A person who has nobody to ask: registers on a telephone, is approved at a desk, signs in with a passkey, forgets the password, gets back in by mail and
// secret questions, and loses what a role gave.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { Authenticator } from './support/authenticator.ts'
import { authenticator } from './support/authenticator.ts'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { newPassword, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { plugIn, type SecurityKey } from './support/security-key.ts'
import { choose } from './support/steps.ts'

const phoneSize = { width: 390, height: 844 }
const address = 'hedy@example.org'
const secrets = [
  { question: 'First pet', answer: 'Antheil' },
  { question: 'First holiday', answer: 'Vienna woods' },
  { question: 'Favourite childhood book', answer: 'Frequency hopping' },
]

let product: Product
let browser: Browser
let grace: Person
let desk: Page
let phone: Page
let key: SecurityKey
let complaints: string[][]
let password = newPassword()
let codes: Authenticator
let username: string

beforeAll(async () => {
  product = await startProduct()
  browser = await openBrowser()
  grace = (await setUp(product, 'grace')).administrator
  const atDesk = await openWindowOf(browser, product.origin, grace)
  const onPhone = await openWindow(browser, product.origin, phoneSize)
  ;[desk, phone] = [atDesk.page, onPhone.page]
  complaints = [atDesk.complaints, onPhone.complaints]
  key = await plugIn(phone)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
})

/** The link in the newest mail with this subject. */
async function mailedLink(subject: string): Promise<string> {
  const newest = async () => (await grace.call(mail.calls.outbox, { text: address })).rows.find((one) => one.subject === subject)?.id
  await expect.poll(newest, { timeout: 90_000, interval: 500 }).toBeDefined()
  const { text } = await grace.call(mail.calls.read, { id: (await newest()) ?? '' })
  return /https?:\S+/.exec(text)?.[0] ?? ''
}

const fits = async (): Promise<void> =>
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phoneSize.width)
const inPortal = () => phone.getByRole('heading', { level: 1, name: 'Hello Hedy' }).waitFor()

test('an administrator opens registration by approval and hands out the address of the page', async () => {
  await desk.goto('/config/registration')
  await desk.getByRole('radio', { name: /By approval/ }).check()
  await desk.getByRole('button', { name: 'Save settings' }).click()
  await desk.getByRole('region', { name: 'Address to hand out' }).waitFor()
  expect(await desk.getByRole('radio', { name: /By approval/ }).isChecked()).toBe(true)
})

test('a visitor registers on a telephone; the page says the same for every address', async () => {
  const handedOut = (await desk.getByRole('region', { name: 'Address to hand out' }).getByRole('code').textContent()) ?? ''
  await phone.goto(handedOut)
  await fits()
  await phone.getByRole('textbox', { name: /^Given name/ }).fill('Hedy')
  await phone.getByRole('textbox', { name: /^Family name/ }).fill('Lamarr')
  await phone.getByRole('textbox', { name: /^E-mail address/ }).fill(address)
  await phone.getByRole('button', { name: 'Send link' }).click()
  await phone.getByText(`If registration is open to ${address}`).waitFor()
  await phone.goto(await mailedLink('Finish your registration'))
  await phone.getByText(`${address} is yours.`).waitFor()
  await fits()
  await phone.getByRole('button', { name: 'Ask for my account' }).click()
  await phone.getByText('Your registration waits for a decision').waitFor()
  expect((await grace.call(users.calls.search, { text: address })).total).toBe(0)
})

test('the administrator finds it among the work that waits, and approves it', async () => {
  await desk.goto('/home')
  await desk.getByRole('link', { name: '1 person waits for an account' }).click()
  await desk.getByRole('button', { name: /Hedy Lamarr/ }).click()
  await desk.getByRole('menuitem', { name: 'Approve registration' }).click()
  await desk.getByRole('dialog').getByRole('button', { name: 'Approve registration' }).click()
  await desk.getByText('Nothing matches').or(desk.getByText('Account made')).first().waitFor()
  await settled(desk)
  expect((await grace.call(users.calls.search, { text: address })).rows).toMatchObject([{ status: 'invited' }])
})

test('the mail leads to the first sign-in, and self-service to a passkey', async () => {
  await phone.goto(await mailedLink('Activate your account'))
  await phone.getByLabel(/^Choose a password/).fill(password)
  await fits()
  await phone.getByRole('button', { name: 'Set password' }).click()
  const scan = phone.getByRole('region', { name: 'Scan this with your authenticator app' })
  codes = authenticator((await scan.getByRole('code').textContent()) ?? '')
  await phone.getByRole('textbox', { name: 'Code' }).fill(await codes.nextCode())
  await fits()
  await phone.getByRole('button', { name: 'Finish and sign in' }).click()
  await inPortal()
  await phone.getByRole('link', { name: /^Add a passkey/ }).click()
  await phone.getByRole('button', { name: 'Add passkey' }).click()
  await phone.getByRole('button', { name: 'Create passkey' }).click()
  await phone.getByText('Successfully created a new passkey').waitFor()
  expect(await key.count()).toBe(1)
})

test('secret questions are set from what waits', async () => {
  await phone.getByRole('link', { name: 'Home', exact: true }).click()
  await phone.getByRole('link', { name: /Set your secret questions/ }).click()
  await settled(phone)
  for (const [at, { question, answer }] of secrets.entries()) {
    await choose(phone, `Question ${at + 1}`, question)
    await phone.getByLabel(`Answer ${at + 1}`).fill(answer)
  }
  await fits()
  await phone.getByRole('button', { name: 'Set questions' }).click()
  await phone.getByText('Your secret questions are set').first().waitFor()
  await phone.getByRole('link', { name: 'Home', exact: true }).click()
  await inPortal()
  await settled(phone)
  expect(await phone.getByRole('region', { name: 'Waiting for you' }).isVisible()).toBe(false)
})

test('the passkey signs in on the telephone without name, password and code', async () => {
  await phone.context().clearCookies()
  await key.touched(false)
  await phone.goto('/login')
  const button = phone.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  await key.touched(true)
  await button.click()
  await inPortal()
  expect(new URL(phone.url()).pathname).toBe('/self/portal')
})

test('password and passkey are lost: mail, secret questions and the code open the account again', async () => {
  await phone.context().clearCookies()
  await key.touched(false)
  await phone.goto('/login')
  await phone.getByRole('link', { name: 'Forgot your password?' }).click()
  await phone.getByRole('textbox', { name: /^E-mail address/ }).fill(address)
  await phone.getByRole('button', { name: 'Send link' }).click()
  await phone.getByText(`If an account has the address ${address}`).waitFor()
  await phone.goto(await mailedLink('Reset your password'))
  username = (await phone.locator('strong').first().textContent()) ?? ''
  await phone.getByLabel(/^New password/).waitFor()
  await fits()
  password = newPassword()
  // However they are written.
  for (const { question, answer } of secrets) await phone.getByLabel(question).fill(answer.toUpperCase())
  await phone.getByLabel(/^New password/).fill(password)
  await phone.getByRole('button', { name: 'Set new password' }).click()
  await phone.getByText('Your password is reset').waitFor()
  await phone.getByRole('link', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('textbox', { name: 'Username' }).fill(username)
  await phone.getByLabel(/^Password/).fill(password)
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('textbox', { name: 'Code' }).fill(await codes.nextCode())
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await inPortal()
  expect(new URL(phone.url()).pathname).toBe('/self/portal')
})

test('a role that is taken away refuses the next click', async () => {
  await phone.getByRole('link', { name: /I want to change my password/ }).click()
  await phone.getByRole('heading', { level: 1, name: 'Change password' }).waitFor()
  const [found] = (await grace.call(users.calls.search, { text: address })).rows
  const { givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: found?.id ?? '' })
  const draft = { username, givenName, familyName, emailAddress, roleIds: [] }
  await grace.call(users.calls.change, { id: found?.id ?? '', ...draft })
  expect((await grace.call(roles.calls.search, { text: 'User' })).rows[0]?.people).toBe(0)
  await phone.getByLabel(/^Your existing password/).fill(password)
  await phone.getByLabel(/^New password/).fill(newPassword())
  await phone.getByRole('button', { name: 'Change password' }).click()
  await phone
    .getByRole('alert')
    .getByText(/permission/i)
    .first()
    .waitFor()
})

test('nothing was complained about on the way', () => expect(complaints).toEqual([[], []]))
