// The card office at work: cards for many people at once, a batch at a printer that jams, passes at the gate, a passkey deleted at its provider.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardrequests } from '#areas/cardrequests/contract.ts'
import { fidosync } from '#areas/fidosync/contract.ts'
import { methodOf, openLittleProvider } from '#areas/fidosync/server/provider.fixture.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import { connectClient, type TestClient } from '#areas/smartcards/server/desk.fixture.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'
import { setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { choose } from './support/steps.ts'

const little = await openLittleProvider()
let product: Product
let browser: Browser
let ada: Person
let client: TestClient

beforeAll(async () => {
  product = await startProduct(little.settings)
  browser = await openBrowser()
  const authority = { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }
  ada = (await setUp(product, 'ada', authority)).administrator
  client = await connectClient(ada, 'card office')
  const offered = (await ada.call(templates.calls.offered, { entity: 'user' })).templates
  const templateId = offered[0]?.templateId ?? ''
  const { id: cardTemplateId } = await ada.call(smartcards.calls.addTemplate, {
    name: 'Staff card',
    slots: [{ slot: '9A', algorithm: 'P-256', templateId }],
  })
  const depot: string[] = []
  for (let at = 0; at < 122; at += 1) {
    const username = `depot${at}`
    const person = {
      username,
      givenName: 'Pat',
      familyName: `Depotwright ${String(at).padStart(3, '0')}`,
      emailAddress: `${username}@example.org`,
    }
    depot.push((await ada.call(users.calls.add, { ...person, roleIds: [] })).id)
  }
  await ada.call(users.calls.setEnabled, { id: depot[0] ?? '', enabled: false })
  await ada.call(cardrequests.calls.request, { inclusionList: [depot[1] ?? ''], options: { cardTemplateId } })
  little.addPerson('lost', 'depot5@example.org', methodOf('lostKey_1'))
  await ada.call(fidosync.calls.setProvider, {
    directoryId: 'northwind.onmicrosoft.com',
    clientId: 'chancery',
    loginUrl: little.origin,
    graphUrl: little.origin,
    enabled: true,
    secret: little.provider.secret,
  })
  await ada.call(fidosync.calls.sync, {})
})
afterAll(async () => {
  client?.link.close()
  await browser?.close()
  await product?.stop()
  await little.close()
})

test('people chosen by a filter get card requests, and the two who cannot are named', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/credentials/smartcards/request?text=Depotwright')
  await settled(page)
  await page.getByRole('checkbox', { name: /page/ }).first().check()
  await page.getByRole('button', { name: 'Select all 122 matching' }).click()
  await page.getByRole('button', { name: 'Request cards', exact: true, disabled: false }).click()
  const dialog = page.getByRole('dialog', { name: 'Request smartcards' })
  await dialog.getByText('120 can get a card, 2 cannot.').waitFor()
  const cannot = dialog.getByRole('list', { name: 'Who cannot' })
  await cannot.getByText('Pat Depotwright 000: The account is disabled').waitFor()
  await cannot.getByText('Pat Depotwright 001: A request for such a card is open already').waitFor()
  await dialog.getByRole('button', { name: 'Request 120 cards' }).click()
  await page.getByText('Successfully processed smartcard request').waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a designed face is printed for ten of them; one jams and is printed again', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/config/smartcard/faces')
  await page.getByRole('link', { name: 'Staff card' }).click()
  await page.waitForURL('**/config/smartcard/face/*')
  await page.getByRole('button', { name: 'Add to Front: Text' }).click()
  await page.getByRole('button', { name: 'Save face' }).click()
  await page.getByText('The face is saved').waitFor()
  await page.getByRole('img', { name: 'Front' }).waitFor()

  await page.goto('/credentials/smartcards/printSmartcardSearch/requested?text=Depotwright&size=10')
  await settled(page)
  await page.getByRole('checkbox', { name: /page/ }).first().check()
  await page.getByRole('button', { name: 'Make batch', exact: true }).click()
  await page.waitForURL('**/credentials/smartcards/batchPrintStatus/*')
  await settled(page)
  client.printer.next = ['print', 'print', 'abort']
  await page.getByRole('button', { name: 'Print batch' }).click()
  const dialog = page.getByRole('dialog', { name: 'Print batch' })
  await dialog
    .getByRole('combobox', { name: 'Printer' })
    .or(dialog.getByRole('textbox', { name: 'Printer' }))
    .first()
    .waitFor()
  await dialog.getByRole('button', { name: 'Print batch' }).click()
  await page.getByText('9 of 10').waitFor()
  const jammed = page.getByRole('row').filter({ hasText: 'aborted-by-system' })
  await jammed.getByRole('button', { name: 'Print again' }).click()
  await page.getByRole('textbox', { name: 'Why' }).fill('The card was bent')
  await page
    .getByRole('dialog', { name: /again$/ })
    .getByRole('button', { name: 'Print again' })
    .click()
  await page.getByText('The card waits to be printed again').waitFor()
  await page.getByRole('button', { name: 'Print batch' }).click()
  await dialog.getByRole('button', { name: 'Print batch' }).click()
  await page.getByText('10 of 10').waitFor()
  expect(client.printer.jobs).toHaveLength(11)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a guest pass and a positive pass are issued, lost and returned', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await page.goto('/credentials/smartcards/manage/print')
  await settled(page)
  for (const kind of ['Positive', 'Guest']) {
    await choose(page, 'Kind', kind)
    await page.getByRole('textbox', { name: 'Quantity' }).fill('2')
    await page.getByRole('button', { name: 'Print passes' }).click()
    await page.getByText('Successfully sent request to print temporary smartcards').first().waitFor()
  }
  await page.goto('/credentials/smartcards/manage/positive')
  await settled(page)
  await page
    .getByRole('combobox', { name: 'Person' })
    .or(page.getByRole('textbox', { name: 'Person' }))
    .first()
    .fill('Depotwright 007')
  await page.getByRole('option', { name: /Depotwright 007/ }).dispatchEvent('click')
  await page.getByRole('textbox', { name: 'Pass number' }).fill('1')
  await page.getByRole('status').getByText('Available').waitFor()
  await page.getByRole('button', { name: 'Issue pass' }).click()
  await page.getByText('Temporary pass issued').waitFor()
  await page.goto('/credentials/smartcards/manage/guest')
  await settled(page)
  await page.getByRole('textbox', { name: 'Given name' }).fill('Ingrid')
  await page.getByRole('textbox', { name: 'Family name' }).fill('Solberg')
  await page.getByRole('textbox', { name: 'Pass number' }).fill('3')
  await page.getByRole('button', { name: 'Issue pass' }).click()
  await page.getByText('Temporary guest pass issued').waitFor()
  await settled(page)

  const act = async (number: string, action: string) => {
    await page
      .getByRole('row')
      .filter({ hasText: number })
      .getByRole('button', { name: /^Actions/ })
      .click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act('00001', 'Lost or stolen')
  await page.getByRole('dialog').getByRole('radio', { name: 'Lost' }).check()
  await page.getByRole('dialog').getByRole('button', { name: /Mark/ }).click()
  await page.getByText('Card status updated').first().waitFor()
  await act('00003', 'Take back')
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('row').filter({ hasText: '00003' }).getByText('Available').waitFor()
  await page.getByRole('row').filter({ hasText: '00001' }).getByText(/Lost/).first().waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a provider credential that is marked is deleted at the provider', async () => {
  const { page, complaints } = await openWindowOf(browser, product.origin, ada)
  await expect.poll(async () => (await ada.call(fidosync.calls.search, {})).total).toBe(1)
  await page.goto('/search/fido')
  await page.getByRole('link', { name: 'Key of the desk' }).click()
  await page.waitForURL('**/credentials/fido/synced-credential/lostKey_1')
  await page.getByRole('heading', { name: 'Key of the desk' }).waitFor()
  await settled(page)
  const act = async (action: string) => {
    const button = page.getByRole('main').getByRole('button', { name: action })
    const more = page.getByRole('button', { name: /^(More|Actions)/ })
    // Actions that do not fit stand behind a menu; either has come before it is looked which.
    await button.or(more).first().waitFor()
    if (!(await button.isVisible())) await more.first().click()
    await button
      .or(page.getByRole('menuitem', { name: action }))
      .first()
      .click()
  }
  await act('Mark for deletion')
  await page.getByText('This credential has been marked for deletion').waitFor()
  await act('Delete at the provider')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete at the provider' }).click()
  await page.waitForURL('**/search/fido*')
  expect(little.provider.people.get('lost')?.methods).toEqual([])
  expect(complaints).toEqual([])
  await page.context().close()
})
