// What the rows of the audit log are called, gathered from the contracts: the server searches these labels, the console shows them.

import type { AnyContract } from './contract.ts'

export type LogLabels = {
  /** The rooms, as the log's filter names them. */
  areas: Record<string, string>
  /** By area, what happened (events) and what was attempted (calls): refused attempts stand in the log under the name of their call. */
  names: Record<string, Record<string, string>>
}

type Logged = Pick<AnyContract, 'area' | 'title'> & Partial<Pick<AnyContract, 'calls' | 'endpoints' | 'events'>>

export function logLabels(contracts: readonly Logged[]): LogLabels {
  const attempts = (calls: Readonly<Record<string, { title?: string | undefined }>> = {}): [string, string][] =>
    Object.entries(calls).flatMap(([name, { title }]) => (title === undefined ? [] : [[name, title]]))
  const events = (of: AnyContract['events'] = {}): [string, string][] => Object.entries(of).map(([name, { says }]) => [name, says])
  return {
    areas: { ...Object.fromEntries(contracts.map(({ area, title }) => [area, title])), endpoint: 'Public addresses' },
    names: {
      ...Object.fromEntries(contracts.map((room) => [room.area, Object.fromEntries([...attempts(room.calls), ...events(room.events)])])),
      // An endpoint stands in the log without its room.
      endpoint: Object.fromEntries(contracts.flatMap(({ endpoints }) => attempts(endpoints))),
    },
  }
}
