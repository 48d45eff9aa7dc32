// What the server knows of a kind of record beside what its contract says: how one is called, and how it is found.

import type { RecordKind } from '#core/contract/records.ts'
import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from './tenancy.ts'

export type RecordName = {
  id: string
  name: string
  /** What tells it from others of the same name: the serial number of a certificate. */
  detail?: string
  /** Its page in the console. */
  path: string
}

export type RecordHit = {
  id: string
  label: string
  detail: string
  path: string
  /** One of the product's statuses. */
  status?: string
  /** Since when there is one. */
  from?: Date
}

/** What was typed, and how many are wanted at most. */
export type Typed = { text: string; most: number }

export type RecordSource = {
  /** Those of the ids that it knows, in one statement. */
  names(tenancy: Tenancy, ids: readonly string[]): Promise<RecordName[]>
  /** The ids of those that are called so, the best or the newest first: by an index, or among a bounded number. */
  seek(tenancy: Tenancy, typed: Typed): Promise<string[]>
  /** Those that a text means, the best or the newest first: for the search and the palette. Absent where they do not look for this kind. */
  search?(tenancy: Tenancy, typed: Typed): Promise<RecordHit[]>
  /** How many there are of each status, in the words that the list's filter `status` takes; from counters where there may be a million. */
  facets?(tenancy: Tenancy): Promise<{ status: Readonly<Record<string, number>> }>
}

export type ServedRecord = RecordKind & RecordSource

/** Filled by `records` of a room's `serve`. */
export const recordKinds = slot<ServedRecord>('records: what the audit log names and the search finds')
