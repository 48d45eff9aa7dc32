// The map as a file: plain SVG with its own places, so that it opens anywhere and prints sharp.

import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'
import { countedStatuses, countTexts, linkKinds, type Link } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'
import { lineStyles } from './line-styles.ts'
import { cardHeight, cardWidth, linesBetween, placeAll } from './map-layout.ts'

const margin = 24

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const shortened = (text: string, most: number): string => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text)

export function mapPicture(nodes: readonly AuthorityNode[], links: readonly Link[]): string {
  const placed = placeAll(nodes, links)
  const right = Math.max(0, ...placed.map(({ x }) => x + cardWidth))
  const bottom = Math.max(0, ...placed.map(({ y }) => y + cardHeight))
  const left = Math.min(0, ...placed.map(({ x }) => x))
  const paths = linesBetween(placed, links).map(({ link: { kind }, path, head }) => {
    const { dashes, ink } = lineStyles[kind]
    const line = `<path d="${path}" fill="none" stroke="${ink}"${dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`}/>`
    return head === undefined ? line : `${line}<path d="${head}" fill="${ink}"/>`
  })
  const cards = placed.map(({ node, x, y }) => {
    const lines = linesOf(node).map(
      (line, at) => `<text x="12" y="${46 + at * 18}" font-size="12" fill="#495057">${escaped(shortened(line, 46))}</text>`,
    )
    const dashes = node.caId === undefined ? ' stroke-dasharray="4 3"' : ''
    return `<g transform="translate(${x} ${y})"><title>${escaped(node.subject)}</title><rect width="${cardWidth}" height="${cardHeight}" rx="6" fill="#ffffff" stroke="#868e96"${dashes}/><text x="12" y="24" font-size="14" font-weight="600" fill="#212529">${escaped(shortened(node.label, 36))}</text>${lines.join('')}</g>`
  })
  const legend = linkKinds.filter((kind) => kind !== 'signed' && links.some((link) => link.kind === kind))
  const explained = legend.map((kind, at) => {
    const { label, dashes, ink } = lineStyles[kind]
    return `<g transform="translate(${left + at * 180} ${bottom + 24})"><path d="M0 0 H36" stroke="${ink}" stroke-dasharray="${dashes}"/><text x="44" y="4" font-size="12" fill="#495057">${escaped(t(label))}</text></g>`
  })
  // What bows over the upper row, and what explains it below the last.
  const [above, under] = legend.length > 0 ? [48, 24] : [0, 0]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left - margin} ${-margin - above} ${right - left + 2 * margin} ${bottom + 2 * margin + above + under}" font-family="system-ui, sans-serif">${paths.join('')}${cards.join('')}${explained.join('')}</svg>\n`
}

/** What stands on a card below its name. */
function linesOf({ caId, key, notAfter, certificates }: AuthorityNode): string[] {
  const until = notAfter === undefined ? '' : mediumDate(new Date(notAfter), true)
  const counts = countedStatuses.filter((one) => certificates[one] > 0).map((one) => t(countTexts[one], { count: certificates[one] }))
  return [
    [caId === undefined ? t('Not ours') : key, until].filter((part) => part !== '').join(' · '),
    ...(counts.length > 3 ? [counts.slice(0, 2), counts.slice(2)] : [counts]).map((some) => some.join(' · ')),
  ]
}
