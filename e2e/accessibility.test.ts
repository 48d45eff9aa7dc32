// Every screen there is, by the list that the product prints of itself: in light and dark, at a desk and on a telephone, under a loud tenant colour.
// axe finds nothing, the browser complains of nothing, and no screen is empty.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { fidosync } from '#areas/fidosync/contract.ts'
import { methodOf, openLittleProvider } from '#areas/fidosync/server/provider.fixture.ts'
import { imports } from '#areas/imports/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { order } from '#areas/order.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { fillPath } from '#core/contract/paths.ts'
import { examplesOf } from '#core/testing/examples.ts'
import { listRoutes } from '../tools/routes.ts'
import { openBrowser, openWindow, openWindowOf, settled, type Window } from './support/browser.ts'
import { furnish, type Estate } from './support/estate.ts'
import type { Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { openMenu } from './support/steps.ts'

let product: Product
let browser: Browser
let estate: Estate
let hsm: SoftHsm
let tokenId: string
let runId: string
let drillId: string
let signedIn: Window
let signedOut: Window
let graph: Awaited<ReturnType<typeof openLittleProvider>>

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('estate', '246810')
  graph = await openLittleProvider()
  product = await startProduct({ CHANCERY_PKCS11_MODULES: hsm.modulePath, ...graph.settings })
  browser = await openBrowser()
  estate = await furnish(product)
  tokenId = await registerToken()
  runId = (await estate.ada.call(bulk.calls.prepare, { action: 'revocation.revoke', selection: { selectAll: true }, query: {} })).runId
  drillId = (await estate.ada.call(revocation.calls.runDrill, { name: 'Quarterly' })).drillId
  const settings = await estate.ada.call(tenancy.calls.read, {})
  await estate.ada.call(tenancy.calls.change, tenancy.calls.change.input.parse({ ...settings, bannerColour: '#ffd400' }))
  signedIn = await openWindowOf(browser, product.origin, estate.ada)
  signedOut = await openWindow(browser, product.origin)
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  estate.clear()
  hsm.close()
  await graph.close()
})

/** A key that the provider has of somebody, read from there. */
async function syncedCredential({ ada }: Estate): Promise<{ id: string }> {
  const credentialId = 'key_of_the_desk'
  graph.addPerson('ada', 'desk@elsewhere.example', methodOf(credentialId))
  const settings = { directoryId: 'contoso', clientId: 'chancery', loginUrl: graph.origin, graphUrl: graph.origin, enabled: true }
  await ada.call(fidosync.calls.setProvider, { ...settings, secret: graph.provider.secret })
  await ada.call(fidosync.calls.sync, {})
  await expect.poll(async () => (await ada.call(fidosync.calls.search, {})).total, { timeout: 20_000 }).toBe(1)
  return { id: credentialId }
}

async function registerToken(): Promise<string> {
  const [{ module = '', tokens = [] } = {}] = (await estate.ada.call(keys.calls.found, {})).modules
  return (
    await estate.ada.call(keys.calls.register, {
      name: 'Root token',
      module,
      label: 'estate',
      serial: tokens[0]?.serial ?? '',
      pin: '246810',
    })
  ).tokenId
}

/** Proves anew who one is: by the time that a late example asks, the sign-in is too old for what takes protection away. */
async function proved(ada: Person): Promise<Person> {
  await ada.call(sessions.calls.confirmPassword, { password: ada.password })
  return ada
}

type Example = (estate: Estate) => Record<string, string> | Promise<Record<string, string>>
const none: Example = () => ({})

/** What stands for the parameters of a screen; more than one where it shows different things. Newer rooms bring theirs in `examples.fixture.ts`. */
const examples: Record<string, readonly Example[]> = {
  'fidosync.view': [syncedCredential],
  'roles.view': [({ roleId: id }) => ({ id })],
  'roles.edit': [({ roleId: id }) => ({ id })],
  'users.view': [({ userId: id }) => ({ id })],
  'users.edit': [({ userId: id }) => ({ id })],
  'sessions.activate': [({ activationLink }) => ({ token: activationLink.split('/').at(-1) ?? '' }), () => ({ token: 'used' })],
  'authorities.renew': [({ rootId: id }) => ({ id })],
  'authorities.cross': [({ rootId: id }) => ({ id })],
  'bulk.run': [() => ({ runId })],
  'authorities.manage': [none, ({ caId: id }) => ({ id }), ({ rootId: id }) => ({ id }), () => ({ id: 'new' })],
  'keys.edit': [() => ({ id: tokenId })],
  'keys.token': [() => ({ id: tokenId })],
  'templates.manage': [none, ({ serverTemplateId: id }) => ({ id }), () => ({ id: 'new' })],
  'certificates.view': [({ certId }) => ({ certId }), ({ revokedId: certId }) => ({ certId })],
  'certificates.viewOfCa': [({ caId, serialNumber: certId }) => ({ caId, certId })],
  'certificates.approval': [({ waitingRequestId: id }) => ({ id })],
  'certificates.add': [() => ({ entity: 'user' }), () => ({ entity: 'device' })],
  'revocation.revoke': [({ certId }) => ({ certId })],
  'revocation.revokeOwn': [({ certId }) => ({ certId })],
  'revocation.revokeOfCa': [({ caId, serialNumber: certId }) => ({ caId, certId })],
  'revocation.revokeAuthority': [({ caId: id }) => ({ id }), ({ rootId: id }) => ({ id })],
  'revocation.drill': [() => ({ drillId })],
  'renewal.view': [({ certId }) => ({ certId }), ({ revokedId: certId }) => ({ certId })],
  'revocation.viewPending': [({ contestedId: certId }) => ({ certId })],
  'revocation.viewPendingOfCa': [({ caId, contestedSerial: certId }) => ({ caId, certId })],
  'search.search': [none, () => ({ searchType: 'certificate' })],
}

for (const area of order)
  for (const [name, some] of Object.entries(await examplesOf(area)))
    examples[`${area}.${name}`] = some.map(
      (example): Example =>
        ({ ada }) =>
          example({ ...ada, session: () => proved(ada) }),
    )

const screens = listRoutes().filter(({ kind, path }) => kind === 'screen' && path !== '/')
const cases = screens.flatMap((screen) => {
  const name = `${screen.area}.${screen.name}`
  return (examples[name] ?? [none]).map((example, at) => ({ ...screen, id: `${name}${at === 0 ? '' : ` (${at + 1})`}`, example }))
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A folder for pictures of every screen, where somebody wants to look at them. */
const pictures = process.env['CHANCERY_PICTURES']
if (pictures !== undefined) mkdirSync(pictures, { recursive: true })

/** What another width can change: what is hidden, named by an icon alone, made to scroll, or set in another order. */
const ofLayout = [
  'color-contrast',
  'scrollable-region-focusable',
  'button-name',
  'link-name',
  'aria-hidden-focus',
  'list',
  'listitem',
  'aria-required-children',
  'aria-required-parent',
  'page-has-heading-one',
  'region',
] as const

const looks = [
  { name: 'desk, light', width: 1440, scheme: 'light', rules: undefined },
  // Another scheme changes colours only.
  { name: 'desk, dark', width: 1440, scheme: 'dark', rules: ['color-contrast'] },
  { name: 'telephone, light', width: 390, scheme: 'light', rules: ofLayout },
  { name: 'telephone, dark', width: 390, scheme: 'dark', rules: ['color-contrast'] },
] as const

type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }

async function violations(page: Page, only: readonly string[] | undefined): Promise<string[]> {
  // What is in order is not named, and nobody reads the selector of what is not.
  const options = {
    resultTypes: ['violations'],
    selectors: false,
    ...(only === undefined ? {} : { runOnly: { type: 'rule', values: only } }),
  }
  const found = await page.evaluate<Found>(`axe.run(document, ${JSON.stringify(options)})`)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
  )
}

/** Brings the transitions that a look began to their end, because a colour halfway to its next look has the contrast of neither. */
const endTransitions = (page: Page) =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    await frame()
    // Ended and not waited for: a transition of what is hidden meanwhile never ends by itself.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
  })()`)

/** A page that no room has: from it each screen is built from nothing. */
const nowhere = '/nowhere'
/** Pages that hold the console, and whose last test went well. */
const ready = new WeakSet<Page>()

/** Goes there as the browser's Back and Forward do, within the document: to start the console and axe anew takes as long as all four looks. */
async function openWithin(page: Page, address: string): Promise<void> {
  const lost = page.getByRole('heading', { level: 1, name: 'Page Not Found' })
  await (ready.has(page) ? navigate(page, nowhere) : page.goto(nowhere))
  ready.delete(page)
  await lost.waitFor()
  await navigate(page, address)
  await lost.waitFor({ state: 'detached' })
  await settled(page)
  // A screen may lead to a document of its own.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe)
}

const navigate = (page: Page, address: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate', { state: null }))`)

/** What the server answers whoever opens that address anew: the console's document. */
async function documentAt(address: string): Promise<unknown[]> {
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  return [response.status, response.headers.get('content-type'), (await response.text()).includes('<title>Chancery</title>')]
}

describe('each screen', () => {
  test('with parameters has an example', () => {
    expect(screens.filter(({ area, name, path }) => /:\w+(?!\w*\?)(\/|$)/.test(path) && examples[`${area}.${name}`] === undefined)).toEqual(
      [],
    )
  })

  test.each(cases)('$id: nothing for axe, nothing on the console, one heading, in each look', async ({ id, path, needs, example }) => {
    const { page, complaints } = needs === 'public' ? signedOut : signedIn
    complaints.length = 0
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    const address = fillPath(path, await example(estate))
    expect(await documentAt(product.origin + address)).toEqual([200, 'text/html; charset=utf-8', true])
    await openWithin(page, address)
    const found: string[] = []
    for (const { name, width, scheme, rules } of looks) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme })
      await endTransitions(page)
      for (const fault of await violations(page, rules)) found.push(`${name}: ${fault}`)
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (over > 0) found.push(`${name}: ${over} px wider than the window`)
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${id.replaceAll(/\W+/g, '-')}-${width}-${scheme}.png`), fullPage: true })
    }
    expect(found).toEqual([])
    expect(complaints).toEqual([])
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('Page Not Found')
    // A failure has a way to try again.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(await page.title()).toMatch(/^\S.* · Chancery$/)
    ready.add(page)
  })

  test('of the navigation shows something of its own', async () => {
    const { page } = signedIn
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/home')
    await settled(page)
    await openMenu(page)
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all()
    const places = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''))
    expect(places.length).toBeGreaterThan(8)
    const titles = new Set<string>()
    for (const href of places) {
      // Self-service has a navigation of its own.
      if (new URL(page.url()).pathname.startsWith('/self/portal')) {
        await page.goto('/home')
        await settled(page)
      }
      await openMenu(page)
      const [from, before] = [new URL(page.url()), await page.title()]
      const link = page.getByRole('navigation', { name: 'Main' }).locator(`a[href="${href}"]`)
      // A group may close again while the page before still arrives.
      await expect.poll(async () => openMenu(page).then(() => link.isVisible()), { message: `${page.url()} to ${href}` }).toBe(true)
      await link.click()
      await page.waitForURL(`**${href}`)
      // The address changes before the page does, and until then the old page is as settled as ever.
      while (`${from.pathname}${from.search}` !== href && (await page.title()) === before) await page.waitForTimeout(20)
      await settled(page)
      const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
      expect(title).not.toMatch(/Page Not Found|Denied/)
      // What is here quickly has no sign of loading, and for a moment neither that nor its rows.
      await expect.poll(async () => (await page.getByRole('main').textContent())?.replace(title, '').trim()).not.toBe('')
      titles.add(await page.title())
    }
    expect(titles.size).toBe(places.length)
  })
})

test('A certificate that is opened from the list stands still from when it is drawn', async () => {
  const { page } = signedIn
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/search/certificate')
  await settled(page)
  await page.evaluate(
    `window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries().map(({ value, sources }) => [value, sources[0]?.node?.textContent.slice(0, 60)]))).observe({ type: 'layout-shift' })`,
  )
  await page.locator(`a[href="/credentials/certificates/view/${estate.certId}"]`).first().click()
  await page.getByRole('button', { name: /hold$/ }).waitFor()
  await page.getByRole('region', { name: 'Renewal' }).getByRole('link').waitFor()
  await settled(page)
  expect(await page.evaluate('window.moved')).toEqual([])
})

test('A notice of two sentences stands top right at every width, and at a desk covers no control of its page or of the top bar', async () => {
  const { page } = signedIn
  for (const { width, reason, action } of [
    { width: 1440, reason: /^On hold/, action: 'Put on hold' },
    { width: 390, reason: /^Superseded/, action: 'Revoke certificate' },
  ]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/credentials/certificates/view/${estate.certId}/revoke`)
    await page.getByRole('radio', { name: reason }).click()
    await page.getByRole('button', { name: action }).click()
    await page.getByRole('button', { name: 'Download certificate' }).waitFor()
    const notice = page.getByRole('status').filter({ hasText: 'hears of it from now on' })
    await notice.waitFor()
    const box = await notice.boundingBox()
    expect([width, box !== null && box.y < 12, box !== null && box.x + box.width / 2 >= width / 2 - 1]).toEqual([width, true, true])
    // A telephone's top bar has no room beside its buttons.
    const spared = width === 1440 ? ':is(main, header) :is(a, button)' : 'main :is(a, button)'
    expect([width, await hiddenBy(page, notice, spared)]).toEqual([width, []])
  }
})

/** What can be pressed below a notice. */
async function hiddenBy(page: Page, notice: Locator, pressable: string): Promise<string[]> {
  const box = await notice.boundingBox()
  if (box === null) throw new Error('The notice is not shown')
  return page.evaluate(
    `[...document.querySelectorAll('${pressable}')].filter((one) => { const { top, bottom, left, right, width } = one.getBoundingClientRect(); return width > 0 && top < ${box.y + box.height} && bottom > ${box.y} && left < ${box.x + box.width} && right > ${box.x} }).map((one) => one.textContent || one.ariaLabel)`,
  )
}

test('A certificate of others fits the window, however long its subject is', async () => {
  const tools = openSsl()
  const config = tools.write('[req]\ndistinguished_name=dn\n[dn]\n')
  const subject = Array.from({ length: 30 }, () => `/OU=${randomBytes(30).toString('hex')}`).join('')
  const text = tools.run(
    'req',
    '-x509',
    '-config',
    config,
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
    '-days',
    '90',
    '-subj',
    subject,
  )
  tools.close()
  const { page } = signedIn
  await page.goto('/credentials/certificates/upload')
  await page.getByRole('textbox', { name: /^Certificates/ }).fill(text)
  await page.getByRole('table', { name: 'What is in it' }).waitFor()
  const over = async () => {
    const found: number[] = []
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      found.push(await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
    }
    return found
  }
  expect(await over()).toEqual([0, 0])
  const [added] = (await estate.ada.call(imports.calls.upload, { text })).added
  await page.goto(`/credentials/certificates/view/${added?.certificateId}`)
  await settled(page)
  expect(await over()).toEqual([0, 0])
})

// The browser adds up how far what was painted is pushed, against the window: CLS, whose bar is no time.
test.each([1440, 390])('Nothing on the home page moves while its cards come, at %i px', async (width) => {
  const { context, page } = await openWindowOf(browser, product.origin, estate.bob, { width })
  await page.addInitScript({
    content: `window.moved = []; new PerformanceObserver((list) => window.moved.push(...list.getEntries().map(({ value, sources }) => [value, sources[0]?.node?.textContent.slice(0, 60)]))).observe({ type: 'layout-shift', buffered: true })`,
  })
  await page.goto('/home')
  await page.getByRole('region', { name: 'Waiting for a decision' }).waitFor()
  await page.getByRole('region', { name: 'News' }).waitFor()
  await settled(page)
  const moved = await page.evaluate<[number, string][]>('window.moved')
  await context.close()
  expect(moved.reduce((sum, [value]) => sum + value, 0) < 0.02 ? [] : moved).toEqual([])
})

describe('the first load', () => {
  const folder = fileURLToPath(new URL('../dist/console/', import.meta.url))
  const size = (name: string) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1000

  // The build holds the entry and the shell to their budgets; this is all that a browser fetches, the screen and what checks its form with it.
  // A third of it comes after the page is drawn, for the bell and the session.
  test.each([
    ['/login', 300, () => signedOut],
    ['/home', 320, () => signedIn],
  ] as const)('of %s takes at most %i kB of script, compressed', async (path, limit, windowOf) => {
    const { context } = windowOf()
    const page = await context.newPage()
    const scripts = new Set<string>()
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname.slice(1))
    })
    await page.goto(path)
    await settled(page)
    await page.close()
    expect(scripts.size).toBeGreaterThan(0)
    expect([...scripts].reduce((sum, name) => sum + size(name), 0)).toBeLessThan(limit)
  })

  test('asks no other host for anything', async () => {
    const { context } = signedIn
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
    })
    await page.goto('/home')
    await settled(page)
    await page.close()
    expect([...hosts]).toEqual([product.origin])
  })

  test('names its files by their content', () => {
    expect(readdirSync(join(folder, 'assets')).filter((name) => /\.(js|css)$/.test(name) && !/-[\w-]{8}\.(js|css)$/.test(name))).toEqual([])
  })
})
