// The map as a file: plain SVG with its own places, so that it opens anywhere and prints sharp.

import { t } from '#core/console/text.ts'
import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { countedStatuses, countTexts, type Link } from '../rules.ts'
import type { AuthorityNode } from './AuthorityCard.tsx'
import { cardHeight, cardWidth, placeAll } from './map-layout.ts'

const margin = 24

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const shortened = (text: string, most: number): string => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text)

export function mapPicture(nodes: readonly AuthorityNode[], links: readonly Link[]): string {
  const placed = placeAll(nodes, links)
  const right = Math.max(0, ...placed.map(({ x }) => x + cardWidth))
  const bottom = Math.max(0, ...placed.map(({ y }) => y + cardHeight))
  const left = Math.min(0, ...placed.map(({ x }) => x))
  const byId = new Map(placed.map((one) => [one.node.id, one]))
  const paths = links.flatMap(({ from, to }) => {
    const [above, below] = [byId.get(from), byId.get(to)]
    if (above === undefined || below === undefined) return []
    const [x1, y1, x2, y2] = [above.x + cardWidth / 2, above.y + cardHeight, below.x + cardWidth / 2, below.y]
    return [`<path d="M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}" fill="none" stroke="#868e96"/>`]
  })
  const cards = placed.map(({ node, x, y }) => {
    const lines = linesOf(node).map((line, at) => `<text x="12" y="${46 + at * 18}" font-size="12" fill="#495057">${escaped(shortened(line, 46))}</text>`)
    const dashes = node.caId === undefined ? ' stroke-dasharray="4 3"' : ''
    return `<g transform="translate(${x} ${y})"><title>${escaped(node.subject)}</title><rect width="${cardWidth}" height="${cardHeight}" rx="6" fill="#ffffff" stroke="#868e96"${dashes}/><text x="12" y="24" font-size="14" font-weight="600" fill="#212529">${escaped(shortened(node.label, 36))}</text>${lines.join('')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left - margin} ${-margin} ${right - left + 2 * margin} ${bottom + 2 * margin}" font-family="system-ui, sans-serif">${paths.join('')}${cards.join('')}</svg>\n`
}

/** What stands on a card below its name. */
function linesOf({ caId, key, notAfter, certificates }: AuthorityNode): string[] {
  const until = notAfter === undefined ? '' : mediumDate(new Date(notAfter), true)
  const counts = countedStatuses.filter((one) => certificates[one] > 0).map((one) => t(countTexts[one], { count: certificates[one] }))
  return [[caId === undefined ? t('Not ours') : key, until].filter((part) => part !== '').join(' · '), counts.join(' · ')]
}
