// The looks in which each screen is judged: light and dark, at a desk and on a telephone. What axe finds in each, and what is wider than the window.

import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

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

// In this order one thing changes at a time.
const looks = [
  { name: 'desk, light', width: 1440, scheme: 'light', rules: undefined },
  // Another scheme changes colours only.
  { name: 'desk, dark', width: 1440, scheme: 'dark', rules: ['color-contrast'] },
  { name: 'telephone, dark', width: 390, scheme: 'dark', rules: ['color-contrast'] },
  { name: 'telephone, light', width: 390, scheme: 'light', rules: ofLayout },
] as const

type Look = (typeof looks)[number]

/** What is in order needs no text, so axe writes none: `judge` does, of what is not. */
const startAxe = `${axe}; axe.configure({ noHtml: true })`

/** What the page says against itself as it stands. */
function judge({ rules }: Look): string {
  const options = {
    resultTypes: ['violations'],
    selectors: false,
    elementRef: true,
    // Styles are read for no rule that is on here.
    preload: { assets: ['media'] },
    ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
  }
  return `(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    await frame()
    // Brings the transitions that the look began to their end, because a colour halfway to its next look has the contrast of neither.
    // They are not waited for: a transition of what is hidden meanwhile never ends by itself.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
    const { violations } = await axe.run(document, ${JSON.stringify(options)})
    const faults = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ element, failureSummary = '' }) => id + ': ' + element.outerHTML.slice(0, 200) + ' ' + failureSummary.slice(0, 300)),
    )
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? [...faults, scrollWidth - clientWidth + ' px wider than the window'] : faults
  })()`
}

async function take(page: Page, { width, scheme }: Look): Promise<void> {
  await Promise.all([page.setViewportSize({ width, height: 900 }), page.emulateMedia({ colorScheme: scheme })])
}

/** The look in which a screen is opened. */
export const takeFirstLook = (page: Page): Promise<void> => take(page, looks[0])

/** What there is to say against the page, look after look; pictures are named by `id`. */
export async function faultsInEachLook(page: Page, id: string): Promise<string[]> {
  // A screen may lead to a document of its own.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(startAxe)
  const found: string[] = []
  for (const look of looks) {
    await take(page, look)
    for (const fault of await page.evaluate<string[]>(judge(look))) found.push(`${look.name}: ${fault}`)
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, `${id.replaceAll(/\W+/g, '-')}-${look.width}-${look.scheme}.png`), fullPage: true })
  }
  return found
}
