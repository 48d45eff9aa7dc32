// What a drill is about, and its figures in words and in a file.

import type * as z from 'zod'
import { certificateStatuses } from '#areas/certificates/rules.ts'
import { SearchedCertificates } from '#areas/certificates/shapes.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { DrillView } from '../drills.ts'

/** The filter that a saved view of the inventory holds in its address; what makes no sense there is left out. */
export function queryOfView(query: string | undefined): z.input<typeof SearchedCertificates> {
  const address = new URLSearchParams(query ?? '')
  const found: Record<string, unknown> = {}
  for (const name of Object.keys(SearchedCertificates.shape)) {
    const values = address.getAll(name)
    if (values.length === 0) continue
    // Of several values those that are known: with none of them the drill would be about every certificate.
    const known = values.filter((value) => SearchedCertificates.safeParse({ [name]: [value] }).success)
    for (const candidate of [values[0], ...(known.length > 0 ? [known] : [])])
      if (SearchedCertificates.safeParse({ [name]: candidate }).success) found[name] = candidate
  }
  const read = SearchedCertificates.safeParse(found)
  return read.success ? read.data : {}
}

/** What is left to do in earnest: those revoked for good already are left out. Undefined where the drill was about nothing else. */
export function queryInEarnest({ status, ...query }: DrillView['query']): DrillView['query'] | undefined {
  const left = (status === undefined || status.length === 0 ? certificateStatuses : status).filter((one) => one !== 'revoked')
  return left.length === 0 ? undefined : { ...query, status: left }
}

export const sizeText = (bytes: number): string =>
  bytes < 1_000_000
    ? t('{size} kB', { size: formatNumber(Math.ceil(bytes / 1000)) })
    : t('{size} MB', { size: formatNumber(Math.round(bytes / 100_000) / 10) })

export const durationText = (seconds: number): string =>
  seconds < 90
    ? t('{count, plural, one {# second} other {# seconds}}', { count: seconds })
    : t('{count, plural, one {# minute} other {# minutes}}', { count: Math.round(seconds / 60) })

/** The figures of a drill as its page and its file name them. */
export const drillFigures = {
  matched: { label: 'Certificates found' },
  holders: { label: 'Holders cut off' },
  cutOff: { label: 'Valid certificates lost' },
  approval: { label: 'Need others to agree' },
  held: { label: 'On hold' },
  already: { label: 'Already revoked' },
  expired: { label: 'Expired' },
  foreign: { label: 'Issued by others' },
} as const satisfies Partial<Record<keyof DrillView['figures'], { label: string }>>
export const drillFigureNames = Object.keys(drillFigures) as (keyof typeof drillFigures)[]

/** What was chosen, and nothing that was left open. */
function scopeText(query: DrillView['query']): string {
  const chosen = Object.entries(query).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '',
  )
  return chosen.length === 0
    ? 'Every certificate'
    : chosen.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`).join('; ')
}

/** The report as lines of a file: a figure each, then the templates and the authorities. */
export function reportRows({ name, at, by, query, figures }: DrillView): string[][] {
  const { templates, authorities } = figures
  return [
    ['Drill', name],
    ['Held', at],
    ['By', by],
    ['Scope', scopeText(query)],
    ...drillFigureNames.map((figure) => [drillFigures[figure].label, String(figures[figure])]),
    ['Takes about, in seconds', String(figures.seconds)],
    ['Certificates a second', String(figures.rowsPerSecond)],
    ['Measured here', figures.measuredHere ? 'yes' : 'no'],
    [],
    ['Template', 'Certificates', 'Approvers'],
    ...templates.map((one) => [one.name, String(one.count), String(one.approvers)]),
    [],
    ['Authority', 'Certificates', 'Entries now', 'Bytes now', 'Entries after', 'Bytes after', 'Parts', 'Bytes of a part'],
    ...authorities.map((one) =>
      [one.name, one.count, one.entriesNow, one.bytesNow, one.entriesAfter, one.bytesAfter, one.parts, one.bytesOfPart].map(String),
    ),
  ]
}
