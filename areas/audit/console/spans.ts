// The times to choose from. A span begins at a whole minute or hour, so that the same choice asks the same question for a while.

export const spans = [
  { value: 'hour', label: 'Last hour', milliseconds: 3_600_000, step: 60_000 },
  { value: 'day', label: 'Last 24 hours', milliseconds: 86_400_000, step: 3_600_000 },
  { value: 'week', label: 'Last 7 days', milliseconds: 604_800_000, step: 3_600_000 },
  { value: 'month', label: 'Last 30 days', milliseconds: 2_592_000_000, step: 3_600_000 },
] as const

/** The beginning of a span in ISO 8601; an unknown name is given back as it is, for the call's shape to refuse. */
export function sinceText(name: string, now: Date): string {
  const span = spans.find(({ value }) => value === name)
  if (span === undefined) return name
  const began = now.getTime() - span.milliseconds
  return new Date(began - (began % span.step)).toISOString()
}
