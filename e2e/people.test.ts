// People come in by a file of which some rows are faulty, from a directory whose plan is seen before anything happens, and by SCIM; an officer of an
// organisation works in a part of the tree alone.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applications } from '#areas/applications/contract.ts'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { base, openDirectory, person, writer, writerPassword, type LittleDirectory } from '#areas/directories/server/slapd.fixture.ts'
import { organisations } from '#areas/organisations/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { activate, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

let product: Product
let browser: Browser
let ada: Person
let slapd: LittleDirectory

beforeAll(async () => {
  slapd = await openDirectory()
  slapd.modify(['mary', 'june', 'sue'].map((uid) => person(uid)).join('\n'))
  product = await startProduct({ CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' })
  browser = await openBrowser()
  ada = (await setUp(product, 'ada')).administrator
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await slapd.stop()
})

test('a file of people is checked as a whole, and its good rows come in', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/search/user')
  await settled(page)
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await page.waitForURL('**/identity/user/import')
  const rows = Array.from({ length: 500 }, (_, at) =>
    at % 25 === 0 ? `Given ${at},,nobody` : `Given ${at},Family ${at},row${at}@example.org`,
  )
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(`First name,Surname,Mail\n${rows.join('\n')}\n`) })
  await page.getByRole('button', { name: 'Check rows' }).click()
  await page.getByText('480 new, 0 changed, 0 as they were, 20 with faults').waitFor()
  await page.getByRole('table', { name: 'Rows with faults' }).waitFor()
  await page.getByRole('button', { name: 'Import without the faulty rows' }).click()
  await page.getByText('The import has run').waitFor()
  await page.getByRole('button', { name: 'Undo import' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a directory shows its plan before anything happens, and does what was shown', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await ada.call(directories.calls.add, {
    name: 'Head office',
    kind: 'ldap',
    host: '127.0.0.1',
    port: slapd.securePort,
    security: 'ldaps',
    roots: slapd.certificate,
    bindDn: writer,
    password: writerPassword,
    baseDn: base,
    filter: defaultFilter.ldap,
    mapping: defaultMapping.ldap,
    writable: true,
  })
  await page.goto('/workflowLdapSync')
  await settled(page)
  await page.getByRole('button', { name: 'Plan a sync of Head office' }).click()
  await page.waitForURL('**/workflowLdapSync/plan/*')
  await page.getByText('Given mary Family mary').first().waitFor()
  await page.getByRole('button', { name: 'Run this plan' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run this plan' }).click()
  await page.getByText('Successfully updated LDAP users').waitFor()
  await page.goto('/search/user?text=mary@example.org')
  await page.getByRole('link', { name: 'Family mary, Given mary' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a change in the directory is shown, and is made when somebody says so', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada, { width: 390, height: 844, scheme: 'dark' })
  const id = (await ada.call(users.calls.search, { text: 'june@example.org' })).rows[0]?.id ?? ''
  await page.goto(`/identity/user/view/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Directory account' }).click()
  await page.getByRole('tab', { name: 'Directory account', selected: true }).waitFor()
  await page.getByRole('combobox', { name: /^What to do/ }).click()
  await page.getByRole('option', { name: 'Disable the account' }).click()
  await page.getByRole('button', { name: 'Show what would be done' }).click()
  await page.getByText('pwdAccountLockedTime').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'Do this in the directory' }).click()
  await page.getByRole('status').getByText('The LDAP user was successfully disabled').waitFor()
  await page.getByRole('button', { name: 'Another change' }).click()
  slapd.modify(`dn: uid=june,ou=people,${base}\nchangetype: delete\n`)
  await page.getByRole('combobox', { name: /^What to do/ }).click()
  await page.getByRole('option', { name: 'Enable the account' }).click()
  await page.getByRole('button', { name: 'Show what would be done' }).click()
  await page.getByText('The directory does not have the account any more').first().waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('an officer of an organisation works in it and below it, and sees nothing beside it', async () => {
  const add = (name: string, parentId?: string) =>
    ada.call(organisations.calls.add, { name, type: 'department', country: 'AU', ...(parentId === undefined ? {} : { parentId }) })
  const { id: harbour } = await add('Harbour')
  await add('Pilots', harbour)
  await add('Airport')
  const { id: roleId } = await ada.call(roles.calls.add, {
    name: 'Organisation officer',
    description: '',
    view: ['orgView', 'orgTree', 'orgEdit'],
    menu: ['orgView', 'orgTree'],
    api: ['orgView', 'orgTree', 'orgEdit', 'orgAdd'],
  })
  const person = { username: 'otto', givenName: 'Otto', familyName: 'Officer', emailAddress: 'otto@example.org' }
  const { activationLink } = await ada.call(users.calls.add, person)
  const otto = await activate(product, 'otto', activationLink)

  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto(`/identity/organisation/permissions/${harbour}`)
  await settled(page)
  await page.getByRole('combobox', { name: /^Person/ }).fill('Otto')
  await page.getByRole('option', { name: /Otto/ }).click()
  await page.getByRole('combobox', { name: /^Role/ }).click()
  await page.getByRole('option', { name: 'Organisation officer' }).click()
  await page.getByRole('button', { name: 'Give role' }).click()
  await page.getByRole('button', { name: 'Take Organisation officer from Otto Officer' }).waitFor()
  expect(roleId).not.toBe('')
  await page.context().close()

  const phone = await openWindowOf(browser, product.origin, otto, { width: 390, height: 844, scheme: 'dark' })
  await phone.page.goto('/identity/organisation/tree')
  await settled(phone.page)
  await phone.page.getByText('Harbour').first().waitFor()
  expect(await phone.page.getByText('Airport').count()).toBe(0)
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect([...complaints, ...phone.complaints]).toEqual([])
  await phone.page.context().close()
})

test('an identity provider that is connected in the console keeps people in step', async () => {
  const me = (await ada.call(users.calls.search, { text: 'ada' })).rows[0]?.id ?? ''
  const { secret } = await ada.call(applications.calls.add, {
    name: 'Entra',
    owner: { kind: 'person', id: me },
    scopes: ['userView', 'userAdd', 'userEdit'],
  })
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/config/scim')
  await settled(page)
  await page.getByRole('combobox', { name: /^Application/ }).click()
  await page.getByRole('option', { name: 'Entra' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('table', { name: 'Identity providers' }).getByText('Entra').waitFor()
  const ask = async (method: string, path: string, body: object) => {
    const response = await fetch(`${product.origin}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json', connection: 'close' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as { id?: string } }
  }
  const made = await ask('POST', '/Users', {
    userName: 'wanda@example.org',
    name: { givenName: 'Wanda', familyName: 'Wave' },
    emails: [{ value: 'wanda@example.org', type: 'work', primary: true }],
  })
  expect(made.status).toBe(201)
  const id = made.body.id ?? ''
  expect((await ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] })).status).toBe(200)
  await page.goto('/search/user?text=wanda@example.org')
  await page.getByRole('link', { name: 'Wave, Wanda' }).waitFor()
  await page.getByText('Disabled').first().waitFor()
  await page.goto('/config/infrastructure')
  await page.getByText('People and groups by SCIM: Entra').waitFor()
  await page.getByText('Directory: Head office').waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})
