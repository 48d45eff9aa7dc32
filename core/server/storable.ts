// What a row can hold: PostgreSQL stores no NUL, and a lone surrogate is no character.

import type { FieldFault } from '#core/contract/faults.ts'
import { say } from '#standards/say/say.ts'
import { commonFault } from './fault.ts'

const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** A text of ours that may quote what a stranger made: it must not stop the work that writes it down. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')

const deepest = 64
const says = 'Remove the characters that are no text'

/** The faults of what was sent. Nothing that a person sends is nested deeply. Walks without recursion. */
export function unstorableFields(sent: unknown): FieldFault[] {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: sent, path: '', depth: 0 }]
  const fields: FieldFault[] = []
  for (let next = open.pop(); next !== undefined && fields.length < 50; next = open.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string' && !isStorable(value)) fields.push({ field: path, says })
    if (typeof value !== 'object' || value === null) continue
    if (depth >= deepest)
      throw commonFault('malformed', { fields: [{ field: '', says: say`The JSON is nested deeper than ${deepest} levels` }] })
    for (const [name, inner] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`
      if (!isStorable(name)) fields.push({ field: path, says })
      else open.push({ value: inner, path: at, depth: depth + 1 })
    }
  }
  return fields
}
