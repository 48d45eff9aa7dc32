// The faults of what a person sent and no row can hold.

import type { FieldFault } from '#core/contract/faults.ts'
import { usualBounds } from '#standards/json/read.ts'
import { say } from '#standards/say/say.ts'
import { isStorable } from '#standards/storable/storable.ts'
import { commonFault } from './fault.ts'

export { storable } from '#standards/storable/storable.ts'

const deepest = usualBounds.depth
const says = 'Remove the characters that are no text'

/** The faults of what was sent. Nothing that a person sends is nested deeply. Walks without recursion. */
export function unstorableFields(sent: unknown): FieldFault[] {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: sent, path: '', depth: 0 }]
  const fields: FieldFault[] = []
  for (let next = open.pop(); next !== undefined && fields.length < 50; next = open.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string' && !isStorable(value)) fields.push({ field: path, says })
    if (typeof value !== 'object' || value === null) continue
    if (depth > deepest)
      throw commonFault('malformed', { fields: [{ field: '', says: say`The JSON is nested deeper than ${deepest} levels` }] })
    for (const [name, inner] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`
      if (!isStorable(name)) fields.push({ field: path, says })
      else open.push({ value: inner, path: at, depth: depth + 1 })
    }
  }
  return fields
}
