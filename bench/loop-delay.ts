// Loaded into the server that a bench measures (`node --import`): how long its event loop keeps others waiting, written to a file that the bench reads.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const folder = process.env['BENCH_LOOP_DELAY']
if (folder !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const milliseconds = (nanoseconds: number) => nanoseconds / 1e6
  setInterval(() => {
    const { max } = delay
    const seen = { p50: milliseconds(delay.percentile(50)), p99: milliseconds(delay.percentile(99)), max: milliseconds(max) }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(seen))
  }, 250).unref()
  process.on('SIGUSR2', () => delay.reset())
}
