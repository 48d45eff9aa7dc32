// What a person does in the browser, found as the person finds it: by role and by label.

import type { Locator, Page } from 'playwright-core'
import { authenticator, type Authenticator } from './authenticator.ts'
import { settled } from './browser.ts'
import { newPassword } from './people.ts'

export type Account = { username: string; password: string; codes: Authenticator }

/** The key is read from the page and the code typed, as with an app that cannot scan. */
export async function enrolCode(page: Page, submit: string): Promise<Authenticator> {
  const scan = page.getByRole('region', { name: 'Scan this with your authenticator app' })
  await scan.getByRole('img', { name: /QR code/ }).waitFor()
  const codes = authenticator((await scan.getByRole('code').textContent()) ?? '')
  await page.getByRole('textbox', { name: 'Code' }).fill(await codes.nextCode())
  await page.getByRole('button', { name: submit }).click()
  await page.waitForURL('**/home')
  return codes
}

export async function walkThroughWizard(
  page: Page,
  setupLink: string,
  person: { username: string; givenName: string; familyName: string; organisation: string },
): Promise<Account> {
  const password = newPassword()
  const next = page.getByRole('button', { name: 'Next' })
  await page.goto(setupLink)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(person.organisation)
  await next.click()
  await page.getByRole('textbox', { name: 'Given name' }).fill(person.givenName)
  await page.getByRole('textbox', { name: 'Family name' }).fill(person.familyName)
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(`${person.username}@example.org`)
  await page.getByRole('textbox', { name: 'Username' }).fill(person.username)
  await page.getByLabel(/^Password/).fill(password)
  await next.click()
  await page.getByRole('switch', { name: /Make a root and an issuing authority now/ }).waitFor()
  await next.click()
  await page.getByRole('button', { name: 'Set up Chancery' }).click()
  return { username: person.username, password, codes: await enrolCode(page, 'Finish and open Chancery') }
}

export async function activateAccount(page: Page, username: string, link: string): Promise<Account> {
  const password = newPassword()
  await page.goto(link)
  await page.getByText(username, { exact: true }).waitFor()
  await page.getByLabel(/^Choose a password/).fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  return { username, password, codes: await enrolCode(page, 'Finish and sign in') }
}

/** The link stands on the page once; it is copied by its button. */
export async function copiedLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy Activation link' }).click()
  await page.getByText('Copied').waitFor({ state: 'attached' })
  return page.evaluate<string>('navigator.clipboard.readText()')
}

/** Opens every group of the menu: with many items only the current one stands open. */
export async function openMenu(page: Page): Promise<void> {
  const closed = page.getByRole('navigation', { name: 'Main' }).getByRole('button', { expanded: false })
  while ((await closed.count()) > 0) await closed.first().click()
}

/** `tab`: one of the entry's tabs, where it is not the first. */
export async function openFromMenu(page: Page, label: string, tab?: string): Promise<void> {
  await openMenu(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).click()
  await settled(page)
  if (tab === undefined) return
  await page.getByRole('navigation', { name: label, exact: true }).getByRole('link', { name: tab, exact: true }).click()
  await settled(page)
}

/** Whether the screen says so, within the time that people wait. */
export async function shows(page: Page, text: string | RegExp): Promise<boolean> {
  return page
    .getByRole('main')
    .getByText(text)
    .first()
    .waitFor()
    .then(
      () => true,
      () => false,
    )
}

export async function choose(page: Page, field: string, option: RegExp | string): Promise<void> {
  await page
    .getByRole('combobox', { name: field })
    .or(page.getByRole('textbox', { name: field }))
    .first()
    .click()
  // Asks no rest of a list that moves while its options arrive.
  await page.getByRole('option', { name: option }).first().dispatchEvent('click')
}

/** By Tab alone, as far as a patient person goes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor()
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${String(target)}`)
}

/** Ctrl+K, a few letters, Enter. */
export async function jump(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Search or jump to...' })
  await box.waitFor()
  await page.keyboard.type(text)
  await page.getByRole('option', { name: text }).first().waitFor()
  await page.keyboard.press('Enter')
  await box.waitFor({ state: 'detached' })
  await settled(page)
}
