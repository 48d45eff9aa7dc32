// What a drill is about, and its figures in words and in a file.

import type * as z from 'zod'
import { formatNumber, t } from '#core/console/text.ts'
import { DrillQuery, type DrillShown } from '../drills.ts'

/** The filter that a saved view of the inventory holds in its address; what makes no sense there is left out. */
export function queryOfView(query: string | undefined): z.input<typeof DrillQuery> {
  const address = new URLSearchParams(query ?? '')
  const found: Record<string, unknown> = {}
  for (const name of Object.keys(DrillQuery.shape)) {
    const values = address.getAll(name)
    if (values.length === 0) continue
    for (const candidate of [values, values[0]]) if (DrillQuery.safeParse({ [name]: candidate }).success) found[name] = candidate
  }
  const read = DrillQuery.safeParse(found)
  return read.success ? read.data : {}
}

export const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? t('{size} kB', { size: formatNumber(Math.ceil(bytes / 1000)) }) : t('{size} MB', { size: formatNumber(Math.round(bytes / 100_000) / 10) })

export const durationText = (seconds: number): string =>
  seconds < 90 ? t('{count, plural, one {# second} other {# seconds}}', { count: seconds }) : t('{count, plural, one {# minute} other {# minutes}}', { count: Math.round(seconds / 60) })

/** The report as lines of a file: a figure each, then the templates and the authorities. */
export function reportRows({ name, at, by, query, figures }: DrillShown): string[][] {
  const { templates, authorities, ...counts } = figures
  return [
    ['Drill', name],
    ['Held', at],
    ['By', by],
    ['Scope', JSON.stringify(query)],
    ...Object.entries(counts).map(([figure, value]) => [figure, String(value)]),
    [],
    ['Template', 'Certificates', 'Approvers'],
    ...templates.map((one) => [one.name, String(one.count), String(one.approvers)]),
    [],
    ['Authority', 'Certificates', 'Entries now', 'Bytes now', 'Entries after', 'Bytes after', 'Parts', 'Bytes of a part'],
    ...authorities.map((one) => [one.name, one.count, one.entriesNow, one.bytesNow, one.entriesAfter, one.bytesAfter, one.parts, one.bytesOfPart].map(String)),
  ]
}
