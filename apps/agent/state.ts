// How the agent stands, for its page and for tests.

import type { Diagnosis } from './diagnosis.ts'

export type AgentState = {
  origin: string
  driver: string
  link: { person: string; code: string; why: string }
  readers: readonly { name: string; atr: string; isVirtual: boolean }[]
  printers: readonly { name: string; isVirtual: boolean }[]
  activity: string
  diagnosis: readonly Diagnosis[]
  trouble: string
}
