// What of an event is hashed. Every column but the number, which is the leaf's place in the tree; the time with all the digits that
// the database keeps, so that no digit of it can be changed unseen.

import { canonicalJson } from '#standards/audit-log/canonical-json.ts'

export type LeafRow = {
  tenant_id: string
  id: string
  at: string
  actor_id: string | null
  actor: string
  address: string
  area: string
  name: string
  outcome: string
  about: string
  body: string
  request_id: string
}

/** The select list that gives a LeafRow of the table `events`. */
export const leafColumns = `events.tenant_id, events.id, to_char(events.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  events.actor_id, events.actor, events.address, events.area, events.name, events.outcome, events.about, events.body, events.request_id`

/** The leaf's bytes: RFC 8785 JSON of the columns under their names. */
export const leafBytes = ({
  tenant_id,
  id,
  at,
  actor_id,
  actor,
  address,
  area,
  name,
  outcome,
  about,
  body,
  request_id,
}: LeafRow): Uint8Array => canonicalJson({ tenant_id, id, at, actor_id, actor, address, area, name, outcome, about, body, request_id })
