// Counts in the Prometheus text format, by route name and status; latency as a histogram.

export type Sample = { labels: Readonly<Record<string, string>>; value: number }

/** What a room counts of `H`, the house: a value for each of its things. Labels hold ids, and nothing of a person. */
export type Gauge<H> = { name: string; help: string; read(house: H): Promise<readonly Sample[]> }

export type Metrics = {
  count(route: string, status: number, seconds: number): void
  gauge(name: string, help: string, read: () => number): void
  samples(name: string, help: string, read: () => Promise<readonly Sample[]>): void
  /** A gauge that cannot be read is left out. */
  text(): Promise<string>
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function makeMetrics(): Metrics {
  /** By route and status. */
  const requests = new Map<string, Map<number, number>>()
  /** Those that took no longer than this bound and longer than the one before; the last are those past all bounds. */
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map(() => 0)
  const gauges = new Map<string, { help: string; read: () => Promise<readonly Sample[]> }>()
  let total = 0
  let sum = 0
  return {
    count(route, status, seconds) {
      const byStatus = requests.get(route) ?? new Map<number, number>()
      if (byStatus.size === 0) requests.set(route, byStatus)
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      let at = 0
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1
      buckets[at] = (buckets[at] ?? 0) + 1
      total += 1
      sum += seconds
    },
    gauge: (name, help, read) => void gauges.set(name, { help, read: async () => [{ labels: {}, value: read() }] }),
    samples: (name, help, read) => void gauges.set(name, { help, read }),
    text: async () =>
      [
        '# HELP chancery_requests_total Requests answered, by route and status.',
        '# TYPE chancery_requests_total counter',
        ...[...requests].flatMap(([route, byStatus]) => [...byStatus].map(([status, count]) => `chancery_requests_total{route="${route}",status="${status}"} ${count}`)),
        '# HELP chancery_request_seconds How long requests took.',
        '# TYPE chancery_request_seconds histogram',
        ...bounds.map((bound, at) => `chancery_request_seconds_bucket{le="${bound}"} ${buckets.slice(0, at + 1).reduce((sum, count) => sum + count, 0)}`),
        `chancery_request_seconds_bucket{le="+Inf"} ${total}`,
        `chancery_request_seconds_sum ${sum}`,
        `chancery_request_seconds_count ${total}`,
        ...(await Promise.all([...gauges].map(([name, gauge]) => linesOf(name, gauge)))).flat(),
        '',
      ].join('\n'),
  }
}

async function linesOf(name: string, { help, read }: { help: string; read: () => Promise<readonly Sample[]> }): Promise<string[]> {
  const samples = await read().catch(() => undefined)
  if (samples === undefined) return []
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)]
}

function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
