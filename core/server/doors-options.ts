// What the HTTP server is opened with.
import type { House } from './house.ts'
import type { Identify } from './life.ts'
import type { MachineAnswer } from './machines.ts'
import type { Metrics } from './metrics.ts'
import type { Refusals } from './refusals.ts'
import type { Room } from './serve.ts'
import type { StaticFiles } from './static.ts'

export type DoorsOptions = {
  house: House
  rooms: readonly Room[]
  identify: Identify
  refusals: Refusals
  metrics: Metrics
  files: StaticFiles
  /** Answered before any room: health, metrics, the API description. Undefined where the path is none of theirs. */
  forMachines(path: string): MachineAnswer | undefined
  port?: number
}
