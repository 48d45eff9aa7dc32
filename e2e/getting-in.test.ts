// One person and every way in, on a telephone: the account is activated from the mail, a passkey signs in and is lost, mail and secret questions help back in,
// a provider that an administrator tried in the console signs in to the same account, and a role that is taken away refuses the next click.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { openProvider, type TestProvider } from '#areas/sso/server/provider.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { authenticator, type Authenticator } from './support/authenticator.ts'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { newPassword, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { plugIn, type SecurityKey } from './support/security-key.ts'
import { choose } from './support/steps.ts'

const address = 'mina@example.org'
const secrets = [
  { question: 'First pet', answer: 'Whisky' },
  { question: 'First holiday', answer: 'Whitby' },
  { question: 'Favourite childhood book', answer: 'Carmilla' },
]

let idp: TestProvider
let product: Product
let browser: Browser
let grace: Person
let userId: string
let desk: Page
let phone: Page
let key: SecurityKey
let complaints: string[][]
let password = newPassword()
let codes: Authenticator

beforeAll(async () => {
  idp = await openProvider()
  product = await startProduct({
    CHANCERY_NAME_SERVERS: idp.nameServer.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
    CHANCERY_OUTWARD_ROOTS: idp.rootsFile,
  })
  browser = await openBrowser(['--host-resolver-rules=MAP idp.example.org 127.0.0.1', '--ignore-certificate-errors'])
  grace = (await setUp(product, 'grace')).administrator
  const role = (await grace.call(roles.calls.search, { text: 'User' })).rows.find(({ name }) => name === 'User')
  ;({ id: userId } = await grace.call(users.calls.add, {
    username: 'mina.harker',
    givenName: 'Mina',
    familyName: 'Harker',
    emailAddress: address,
    roleIds: [role?.id ?? ''],
  }))
  await proveDomain()
  const atDesk = await openWindowOf(browser, product.origin, grace)
  const onPhone = await openWindow(browser, product.origin, { width: 390, height: 844 })
  ;[desk, phone] = [atDesk.page, onPhone.page]
  complaints = [atDesk.complaints, onPhone.complaints]
  key = await plugIn(phone)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await idp.close()
})

/** A provider may link accounts by addresses of a proved domain only. */
async function proveDomain(): Promise<void> {
  const { id } = await grace.call(domains.calls.add, { name: 'example.org' })
  const { recordName, proofText } = await grace.call(domains.calls.read, { id })
  idp.nameServer.names.set(recordName, [{ type: 'TXT', value: proofText }])
  expect(await grace.call(domains.calls.check, { id })).toMatchObject({ proved: true })
}

async function mailedLink(subject: string): Promise<string> {
  const newest = async () => (await grace.call(mail.calls.outbox, { text: address })).rows.find((one) => one.subject === subject)?.id
  await expect.poll(newest, { timeout: 90_000, interval: 500 }).toBeDefined()
  const { text } = await grace.call(mail.calls.read, { id: (await newest()) ?? '' })
  return /https?:\S+/.exec(text)?.[0] ?? ''
}

async function expectPortal(): Promise<void> {
  await phone.getByRole('heading', { level: 1, name: 'Hello Mina' }).waitFor()
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
}

async function leave(): Promise<void> {
  await phone.context().clearCookies()
  await key.touched(false)
  await phone.goto('/login')
  await settled(phone)
}

test('the mail activates the account on a telephone', async () => {
  await phone.goto(await mailedLink('Activate your account'))
  await phone.getByLabel(/^Choose a password/).fill(password)
  await phone.getByRole('button', { name: 'Set password' }).click()
  const scan = phone.getByRole('region', { name: 'Scan this with your authenticator app' })
  codes = authenticator((await scan.getByRole('code').textContent()) ?? '')
  await phone.getByRole('textbox', { name: 'Code' }).fill(await codes.nextCode())
  await phone.getByRole('button', { name: 'Finish and sign in' }).click()
  await expectPortal()
})

test('what waits there leads to secret questions and a passkey, and the passkey signs in', async () => {
  await phone.getByRole('link', { name: /Set your secret questions/ }).click()
  await settled(phone)
  for (const [at, { question, answer }] of secrets.entries()) {
    await choose(phone, `Question ${at + 1}`, question)
    await phone.getByLabel(`Answer ${at + 1}`).fill(answer)
  }
  await phone.getByRole('button', { name: 'Set questions' }).click()
  await phone.getByText('Your secret questions are set').first().waitFor()
  await phone.getByRole('link', { name: 'Home', exact: true }).click()
  await phone.getByRole('link', { name: /^Add a passkey/ }).click()
  await phone.getByRole('button', { name: 'Add passkey' }).click()
  await phone.getByRole('button', { name: 'Create passkey' }).click()
  await phone.getByText('Successfully created a new passkey').waitFor()
  await leave()
  // The page asks for the passkey by itself, so a touch is enough.
  await key.touched(true)
  await expectPortal()
})

test('passkey and password are lost: mail and secret questions help back in', async () => {
  await leave()
  await phone.getByRole('link', { name: 'Forgot your password?' }).click()
  await phone.getByRole('textbox', { name: /^E-mail address/ }).fill(address)
  await phone.getByRole('button', { name: 'Send link' }).click()
  await phone.goto(await mailedLink('Reset your password'))
  await phone.getByLabel(/^New password/).waitFor()
  password = newPassword()
  for (const { question, answer } of secrets) await phone.getByLabel(question).fill(answer)
  await phone.getByLabel(/^New password/).fill(password)
  await phone.getByRole('button', { name: 'Set new password' }).click()
  await phone.getByText('Your password is reset').waitFor()
  await phone.getByRole('link', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('textbox', { name: 'Username' }).fill('mina.harker')
  await phone.getByLabel(/^Password/).fill(password)
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('textbox', { name: 'Code' }).fill(await codes.nextCode())
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expectPortal()
})

test('an administrator sets a provider up in the console, and "Try it" says that it would link her account', async () => {
  idp.account = {
    accountId: 'mina-1',
    claims: { email: address, email_verified: true, given_name: 'Mina', family_name: 'Harker', amr: ['mfa'] },
  }
  await desk.goto('/config/SsoConfig')
  await settled(desk)
  await desk.getByRole('link', { name: 'New provider' }).click()
  await desk.getByRole('textbox', { name: /^Name/ }).fill('Northwind ID')
  await desk.getByRole('textbox', { name: /^Issuer/ }).fill(idp.issuer)
  await desk.getByRole('textbox', { name: /^Client ID/ }).fill(idp.client.id)
  await desk
    .getByLabel(/^Client secret/)
    .and(desk.locator('input[type="password"]'))
    .fill(idp.client.secret)
  await desk.getByRole('switch', { name: /^Button on the sign-in page/ }).check()
  const named = desk.getByRole('combobox', { name: /^E-mail domains/ }).or(desk.getByRole('textbox', { name: /^E-mail domains/ }))
  await named.first().fill('example.org')
  await named.first().press('Enter')
  await desk.getByRole('switch', { name: /^Link accounts that exist/ }).check()
  await desk.getByRole('button', { name: 'Add provider' }).click()
  await desk.getByRole('heading', { level: 1, name: 'Northwind ID' }).waitFor()
  const [tab] = await Promise.all([desk.waitForEvent('popup'), desk.getByRole('button', { name: 'Try it' }).click()])
  await tab.getByRole('rowheader', { name: 'email', exact: true }).waitFor()
  await tab.getByText('mina.harker').first().waitFor()
  await tab.close()
  await desk.getByRole('button', { name: 'Switch on' }).click()
  await desk.getByRole('button', { name: 'Switch off' }).waitFor()
  expect(complaints).toEqual([[], []])
})

test('the provider signs her in to the same account', async () => {
  await leave()
  await phone.getByRole('button', { name: 'Sign in with Northwind ID' }).click()
  await expectPortal()
  expect((await grace.call(users.calls.search, { text: address })).total).toBe(1)
})

test('a role that is taken away refuses the next click', async () => {
  await phone.getByRole('link', { name: /I want to change my password/ }).click()
  await phone.getByRole('heading', { level: 1, name: 'Change password' }).waitFor()
  const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: userId })
  await grace.call(users.calls.change, { id: userId, username, givenName, familyName, emailAddress, roleIds: [] })
  await phone.getByLabel(/^Your existing password/).fill(password)
  await phone.getByLabel(/^New password/).fill(newPassword())
  await phone.getByRole('button', { name: 'Change password' }).click()
  const refusal = phone.getByRole('alert').getByText(/permission/i)
  await refusal.first().waitFor()
  expect(await refusal.count()).toBeGreaterThan(0)
})

test('nothing was complained about on the way', () => expect(complaints).toEqual([[], []]))
