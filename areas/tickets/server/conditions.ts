// Reads the groups of SearchSupportTickets: each value by the kind of its field, and what `or` parts.

import * as z from 'zod'
import type { InputOf } from '#core/contract/contract.ts'
import { Id, Instant } from '#core/contract/shapes.ts'
import { invalidField } from '#core/server/fault.ts'
import { say } from '#standards/say/say.ts'
import type { tickets } from '../contract.ts'
import { categories, priorities, readStatus } from '../rules.ts'
import type { Condition } from './store.ts'

type Groups = InputOf<typeof tickets.calls.searchSupportTickets>['search_groups']
type Kind = {
  comparisons: readonly Condition['comparison'][]
  read: (value: string | number) => Condition['value'] | undefined
  says: string
}

const one = ['equals', 'notEquals'] as const
const ordered = [...one, 'lessThan', 'greaterThan'] as const
const words = [...one, 'contains', 'startsWith'] as const

const parsed =
  <T extends Condition['value']>(shape: z.ZodType<T>) =>
  (value: string | number): T | undefined =>
    shape.safeParse(value).data

const person: Kind = { comparisons: one, read: (value) => (value === '' ? null : parsed(Id)(value)), says: say`Give the id of a person` }
const moment: Kind = {
  comparisons: ordered,
  read: (value) => {
    const text = parsed(Instant)(value)
    return text === undefined ? undefined : new Date(text)
  },
  says: say`Give a time such as 2026-06-30T08:00:00Z`,
}
const text: Kind = { comparisons: words, read: (value) => String(value), says: say`Enter a value` }

const kinds: Readonly<Record<Condition['field'], Kind>> = {
  ticketId: {
    comparisons: ordered,
    read: (value) => parsed(z.coerce.number().int().min(1).max(2_147_483_647))(value),
    says: say`Give the number of a ticket`,
  },
  title: text,
  username: text,
  category: { comparisons: one, read: parsed(z.enum(categories)), says: say`Use one of ${categories.join(', ')}` },
  priority: { comparisons: one, read: parsed(z.enum(priorities)), says: say`Use one of ${priorities.join(', ')}` },
  ticketStatus: {
    comparisons: one,
    read: (value) => readStatus(String(value)),
    says: say`Use open, reviewed, in_progress, closed or reopened`,
  },
  createdAt: moment,
  updatedAt: moment,
  assignedTo: person,
  createdBy: person,
  userId: person,
}

export function readGroups(groups: Groups): Condition[][] {
  const any: Condition[][] = []
  for (const [at, { field, comparison, value, operator }] of groups.entries()) {
    const kind = kinds[field]
    if (!kind.comparisons.includes(comparison))
      throw invalidField(`search_groups.${at}.comparison`, say`Compare ${field} by ${kind.comparisons.join(', ')}`)
    const read = kind.read(value)
    if (read === undefined) throw invalidField(`search_groups.${at}.value`, kind.says)
    const last = any.at(-1)
    if (last === undefined || operator.toLowerCase() === 'or') any.push([{ field, comparison, value: read }])
    else last.push({ field, comparison, value: read })
  }
  return any
}
