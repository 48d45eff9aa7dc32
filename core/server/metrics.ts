// Counts in the Prometheus text format, by route name and status; latency as a histogram.

export type Metrics = { count(route: string, status: number, seconds: number): void; gauge(name: string, help: string, read: () => number): void; text(): string }

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function makeMetrics(): Metrics {
  const requests = new Map<string, number>()
  const buckets = bounds.map(() => 0)
  const gauges = new Map<string, { help: string; read: () => number }>()
  let total = 0
  let sum = 0
  return {
    count(route, status, seconds) {
      const key = `route="${route}",status="${status}"`
      requests.set(key, (requests.get(key) ?? 0) + 1)
      bounds.forEach((bound, at) => {
        if (seconds <= bound) buckets[at] = (buckets[at] ?? 0) + 1
      })
      total += 1
      sum += seconds
    },
    gauge: (name, help, read) => void gauges.set(name, { help, read }),
    text: () =>
      [
        '# HELP chancery_requests_total Requests answered, by route and status.',
        '# TYPE chancery_requests_total counter',
        ...[...requests].map(([labels, count]) => `chancery_requests_total{${labels}} ${count}`),
        '# HELP chancery_request_seconds How long requests took.',
        '# TYPE chancery_request_seconds histogram',
        ...bounds.map((bound, at) => `chancery_request_seconds_bucket{le="${bound}"} ${buckets[at]}`),
        `chancery_request_seconds_bucket{le="+Inf"} ${total}`,
        `chancery_request_seconds_sum ${sum}`,
        `chancery_request_seconds_count ${total}`,
        ...[...gauges].flatMap(([name, { help, read }]) => [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`]),
        '',
      ].join('\n'),
  }
}
