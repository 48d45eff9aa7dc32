// Counts in the Prometheus text format, by route name and status; latency as a histogram. Where several processes answer as one server, whichever is
// asked tells what all of them have counted.

export type Sample = { labels: Readonly<Record<string, string>>; value: number }

/** What a room counts of `H`, the house: a value for each of its things. Labels hold ids, and nothing of a person. */
export type Gauge<H> = { name: string; help: string; read(house: H): Promise<readonly Sample[]> }

/** What one process has counted, as it can be sent to another. */
export type Counts = {
  requests: readonly (readonly [route: string, byStatus: readonly (readonly [status: number, count: number])[]])[]
  /** Those that took no longer than this bound and longer than the one before; the last are those past all bounds. */
  buckets: readonly number[]
  seconds: number
  gauges: Readonly<Record<string, number>>
  /** By name, each value with its labels as they are written. */
  counters: Readonly<Record<string, readonly (readonly [labels: string, value: number])[]>>
}

export type Metrics = {
  count(route: string, status: number, seconds: number): void
  /** A number of this process; those of several add up. */
  gauge(name: string, help: string, read: () => number): void
  /** What this process has counted, by labels; those of several add up. */
  counter(name: string, help: string, read: () => readonly Sample[]): void
  /** What any process reads alike. */
  samples(name: string, help: string, read: () => Promise<readonly Sample[]>): void
  counts(): Counts
  /** A gauge that cannot be read is left out. */
  text(): Promise<string>
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function makeMetrics(othersCounts: () => Promise<readonly Counts[]> = async () => []): Metrics {
  /** By route and status. */
  const requests = new Map<string, Map<number, number>>()
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map(() => 0)
  const gauges = new Map<string, { help: string; read: () => number }>()
  const sampled = new Map<string, { help: string; read: () => Promise<readonly Sample[]> }>()
  const counters = new Map<string, { help: string; read: () => readonly Sample[] }>()
  let seconds = 0
  const metrics: Metrics = {
    count(route, status, took) {
      const byStatus = requests.get(route) ?? new Map<number, number>()
      if (byStatus.size === 0) requests.set(route, byStatus)
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      let at = 0
      while (at < bounds.length && took > (bounds[at] ?? 0)) at += 1
      buckets[at] = (buckets[at] ?? 0) + 1
      seconds += took
    },
    gauge: (name, help, read) => void gauges.set(name, { help, read }),
    counter: (name, help, read) => void counters.set(name, { help, read }),
    samples: (name, help, read) => void sampled.set(name, { help, read }),
    counts: () => ({
      requests: [...requests].map(([route, byStatus]) => [route, [...byStatus]]),
      buckets: [...buckets],
      seconds,
      gauges: Object.fromEntries([...gauges].map(([name, { read }]) => [name, read()])),
      counters: Object.fromEntries(
        [...counters].map(([name, { read }]) => [name, read().map(({ labels, value }) => [labelText(labels), value] as const)]),
      ),
    }),
    text: async () => {
      const all = sum([metrics.counts(), ...(await othersCounts().catch(() => []))])
      const total = all.buckets.reduce((before, count) => before + count, 0)
      return [
        '# HELP chancery_requests_total Requests answered, by route and status.',
        '# TYPE chancery_requests_total counter',
        ...all.requests.flatMap(([route, byStatus]) =>
          byStatus.map(([status, count]) => `chancery_requests_total{route="${route}",status="${status}"} ${count}`),
        ),
        '# HELP chancery_request_seconds How long requests took.',
        '# TYPE chancery_request_seconds histogram',
        ...bounds.map(
          (bound, at) =>
            `chancery_request_seconds_bucket{le="${bound}"} ${all.buckets.slice(0, at + 1).reduce((before, count) => before + count, 0)}`,
        ),
        `chancery_request_seconds_bucket{le="+Inf"} ${total}`,
        `chancery_request_seconds_sum ${all.seconds}`,
        `chancery_request_seconds_count ${total}`,
        ...[...gauges].flatMap(([name, { help }]) => linesOf(name, help, [{ labels: {}, value: all.gauges[name] ?? 0 }])),
        ...[...counters].flatMap(([name, { help }]) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} counter`,
          ...(all.counters[name] ?? []).map(([labels, value]) => `${name}${labels} ${value}`),
        ]),
        ...(
          await Promise.all([...sampled].map(async ([name, { help, read }]) => linesOf(name, help, await read().catch(() => undefined))))
        ).flat(),
        '',
      ].join('\n')
    },
  }
  return metrics
}

function sum(all: readonly Counts[]): Counts {
  const requests = new Map<string, Map<number, number>>()
  const buckets: number[] = []
  const gauges: Record<string, number> = {}
  const counters = new Map<string, Map<string, number>>()
  let seconds = 0
  for (const counts of all) {
    for (const [route, byStatus] of counts.requests) {
      const summed = requests.get(route) ?? new Map<number, number>()
      requests.set(route, summed)
      for (const [status, count] of byStatus) summed.set(status, (summed.get(status) ?? 0) + count)
    }
    for (const [at, count] of counts.buckets.entries()) buckets[at] = (buckets[at] ?? 0) + count
    for (const [name, value] of Object.entries(counts.gauges)) gauges[name] = (gauges[name] ?? 0) + value
    for (const [name, values] of Object.entries(counts.counters)) {
      const summed = counters.get(name) ?? new Map<string, number>()
      counters.set(name, summed)
      for (const [labels, value] of values) summed.set(labels, (summed.get(labels) ?? 0) + value)
    }
    seconds += counts.seconds
  }
  return {
    requests: [...requests].map(([route, byStatus]) => [route, [...byStatus]]),
    buckets,
    seconds,
    gauges,
    counters: Object.fromEntries([...counters].map(([name, values]) => [name, [...values]])),
  }
}

function linesOf(name: string, help: string, samples: readonly Sample[] | undefined): string[] {
  if (samples === undefined) return []
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)]
}

function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
