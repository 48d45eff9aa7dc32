// Single sign-on in Chromium with a real provider: an administrator sets it up and tries it, a person signs in by it, and is refused the next click when the
// role is taken away, or the provider switched off.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { sso } from '#areas/sso/contract.ts'
import { openProvider, type TestProvider } from '#areas/sso/server/provider.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { openBrowser, openWindow, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { choose } from './support/steps.ts'

let idp: TestProvider
let product: Product
let browser: Browser
let grace: Person
let page: Page
let complaints: string[]
let roleId: string

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
  ;({ id: roleId } = await grace.call(roles.calls.add, {
    name: 'Readers',
    description: '',
    // The lists need the search's permission besides their own.
    view: ['search', 'userView'],
    menu: ['search', 'userView'],
    api: ['search', 'userView'],
  }))
  ;({ page, complaints } = await openWindowOf(browser, product.origin, grace))
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await idp.close()
})

const ada = {
  accountId: 'ada-1',
  claims: { email: 'ada@example.org', email_verified: true, given_name: 'Ada', family_name: 'Lovelace', groups: ['readers'], amr: ['mfa'] },
}

test('an administrator sets a provider up and tests the connection', async () => {
  await page.goto('/config/SsoConfig')
  await settled(page)
  await page.getByText('No providers yet').waitFor()
  await page.getByRole('link', { name: 'New provider' }).click()
  await choose(page, 'Kind', 'Okta')
  await page.getByRole('textbox', { name: /^Name/ }).fill('Northwind ID')
  await page.getByRole('textbox', { name: /^Issuer/ }).fill('https://nowhere.example.org')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByRole('textbox', { name: /^Issuer/ }).fill(idp.issuer)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('The provider answers').waitFor()
  await page.getByRole('textbox', { name: /^Client ID/ }).fill(idp.client.id)
  await page
    .getByLabel(/^Client secret/)
    .and(page.locator('input[type="password"]'))
    .fill(idp.client.secret)
  await page.getByRole('switch', { name: /^Button on the sign-in page/ }).check()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByRole('textbox', { name: 'Value of rule 1' }).fill('readers')
  await choose(page, 'Roles of rule 1', 'Readers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('heading', { level: 1, name: 'Northwind ID' }).waitFor()
  await page.getByText('Nobody signs in by this provider yet').waitFor()
  expect(complaints).toEqual([])
})

test('tries it, and sees the claims, the rule and why a sign-in would be refused', async () => {
  idp.account = ada
  const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Try it' }).click()])
  await tab.getByText('This person would be refused').waitFor()
  await tab.getByText('Nobody here is known by this identity, and accounts are not made').waitFor()
  await tab.getByRole('rowheader', { name: 'groups' }).waitFor()
  await tab.getByText('Matches', { exact: true }).waitFor()
  expect(new URL(tab.url()).search).toBe('')
  await tab.close()
})

test('allows accounts, switches it on, and a person comes in by it', async () => {
  // Accounts are made in proved domains alone.
  const { id: domainId } = await grace.call(domains.calls.add, { name: 'example.org' })
  const { recordName, proofText } = await grace.call(domains.calls.read, { id: domainId })
  idp.nameServer.names.set(recordName, [{ type: 'TXT', value: proofText }])
  expect(await grace.call(domains.calls.check, { id: domainId })).toMatchObject({ proved: true })
  await page.getByRole('link', { name: 'Edit provider' }).click()
  const named = page.getByLabel(/^E-mail domains/).first()
  await named.fill('example.org')
  await named.press('Enter')
  await page.getByRole('switch', { name: /^Make accounts at the first sign-in/ }).check()
  await page.getByRole('button', { name: 'Save provider' }).click()
  await page.getByRole('heading', { level: 1, name: 'Northwind ID' }).waitFor()
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: 'Switch off' }).waitFor()

  const hers = await openWindow(browser, product.origin, { width: 390 })
  await hers.page.goto('/login?redirect=/search/user')
  await settled(hers.page)
  await hers.page.getByRole('button', { name: 'Sign in with Northwind ID' }).click()
  await hers.page.waitForURL(({ pathname }) => pathname === '/search/user')
  await hers.page
    .getByRole('link', { name: /Lovelace/ })
    .first()
    .waitFor()

  const [found] = (await grace.call(users.calls.search, { text: 'Lovelace' })).rows
  const before = await grace.call(users.calls.read, { id: found?.id ?? '' })
  expect(before.roles.map(({ id }) => id)).toEqual([roleId])
  const { username, givenName, familyName, emailAddress, telephoneNumber, title, locality, organisation } = before
  await grace.call(users.calls.change, {
    id: before.id,
    roleIds: [],
    username,
    givenName,
    familyName,
    emailAddress,
    telephoneNumber,
    title,
    locality,
    organisation,
  })
  await hers.page.goto('/search/user')
  await hers.page.waitForURL('**/denied*')

  const [provider] = (await grace.call(sso.calls.providers, {})).rows
  await grace.call(sso.calls.setEnabled, { id: provider?.id ?? '', enabled: false })
  await hers.page.goto('/home')
  await hers.page.waitForURL(({ pathname }) => pathname === '/login')
  await hers.page.getByRole('button', { name: 'Sign in with your organisation' }).waitFor()
  await expect(grace.call(sessions.calls.bootstrap, {})).resolves.toMatchObject({ signedIn: true })
  expect(hers.complaints).toEqual([])
})

test('and whoever is refused reads a reference, of which the administrator finds the reason', async () => {
  const [provider] = (await grace.call(sso.calls.providers, {})).rows
  await grace.call(sso.calls.setEnabled, { id: provider?.id ?? '', enabled: true })
  idp.account = { accountId: 'bob', claims: { email: 'bob@example.org' } }
  const his = await openWindow(browser, product.origin)
  await his.page.goto('/login')
  await his.page.getByRole('button', { name: 'Sign in with Northwind ID' }).click()
  await his.page.getByText('The sign-in by your provider was not accepted.').waitFor()
  await page.goto(`/config/SsoConfig/${provider?.id ?? ''}`)
  await settled(page)
  await page.getByRole('tab', { name: 'Refused sign-ins' }).click()
  await page
    .getByRole('row', { name: /bob@example\.org/ })
    .first()
    .waitFor()
  expect(await page.getByText('The provider gives no e-mail address', { exact: false }).count()).toBeGreaterThan(0)
})
