// A filter as a condition of a statement: attributes from a list, values bound.

import { sql, type RawBuilder } from 'kysely'
import { comparing, idsComparing, type ComparableColumn, type Comparison } from '#areas/users/service.ts'
import type { Filter, Literal } from '#standards/scim/filter.ts'
import { readMoment } from '#standards/storable/storable.ts'
import { schemaOf } from '../rules.ts'
import { refuse } from './wire.ts'

type Leaf = (tenantId: string, comparison: Comparison, value: Literal) => RawBuilder<boolean>

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const text = (value: Literal, path: string): string => {
  if (typeof value !== 'string') return refuse('invalidFilter', `${path} is compared with a text`)
  return value
}
const account =
  (path: string, column: ComparableColumn): Leaf =>
  (tenantId, comparison, value) =>
    sql<boolean>`user_id in ${idsComparing(tenantId, column, comparison, text(value, path))}`
const moment =
  (path: string, column: 'createdAt' | 'modifiedAt'): Leaf =>
  (tenantId, comparison, value) => {
    const at = readMoment(text(value, path))
    if (at === undefined) return refuse('invalidFilter', `${path} is compared with a moment such as 2026-01-31T12:00:00Z`)
    return sql<boolean>`user_id in ${idsComparing(tenantId, column, comparison, at)}`
  }
const own =
  (path: string, column: RawBuilder<unknown>): Leaf =>
  (_tenantId, comparison, value) =>
    comparing(column, comparison, text(value, path))
const id =
  (path: string, column: RawBuilder<unknown>): Leaf =>
  (_tenantId, comparison, value) => {
    if (comparison !== 'eq') return refuse('invalidFilter', `${path} is compared by eq`)
    const asked = text(value, path)
    return uuid.test(asked) ? sql<boolean>`${column} = ${asked.toLowerCase()}::uuid` : sql<boolean>`false`
  }
const active: Leaf = (tenantId, comparison, value) => {
  const asked = typeof value === 'string' ? value.toLowerCase() === 'true' : value
  if (comparison !== 'eq' || typeof asked !== 'boolean') return refuse('invalidFilter', 'active is compared by eq with true or false')
  return sql<boolean>`user_id in ${idsComparing(tenantId, 'enabled', 'eq', asked)}`
}
const member: Leaf = (tenantId, comparison, value) => {
  const asked = text(value, 'members')
  if (comparison !== 'eq') return refuse('invalidFilter', 'members is compared by eq')
  return uuid.test(asked)
    ? sql<boolean>`exists (select from scim_group_members where tenant_id = ${tenantId} and group_id = scim_groups.id and user_id = ${asked.toLowerCase()}::uuid)`
    : sql<boolean>`false`
}

const userName: Leaf = (_tenantId, comparison, value) =>
  comparison === 'eq'
    ? sql<boolean>`user_name_key = ${text(value, 'userName').toLowerCase()}`
    : comparing(sql`user_name`, comparison, text(value, 'userName'))
const externalId: Leaf = (_tenantId, comparison, value) =>
  comparison === 'eq'
    ? sql<boolean>`external_id = ${text(value, 'externalId')}`
    : comparing(sql`external_id`, comparison, text(value, 'externalId'))

const leaves = {
  user: new Map<string, Leaf>([
    ['id', id('id', sql`user_id`)],
    ['username', userName],
    ['externalid', externalId],
    ['active', active],
    ['name.givenname', account('name.givenName', 'givenName')],
    ['name.familyname', account('name.familyName', 'familyName')],
    ['title', account('title', 'title')],
    ['emails', account('emails', 'emailAddress')],
    ['emails.value', account('emails.value', 'emailAddress')],
    ['meta.created', moment('meta.created', 'createdAt')],
    ['meta.lastmodified', moment('meta.lastModified', 'modifiedAt')],
  ]),
  group: new Map<string, Leaf>([
    ['id', id('id', sql`id`)],
    ['displayname', own('displayName', sql`display_name`)],
    ['externalid', externalId],
    ['members', member],
    ['members.value', member],
  ]),
} as const

/** Of attributes that everybody has, and of those that may be missing. */
const presence = {
  user: new Map([
    ['id', sql<boolean>`true`],
    ['username', sql<boolean>`true`],
    ['active', sql<boolean>`true`],
    ['meta.created', sql<boolean>`true`],
    ['meta.lastmodified', sql<boolean>`true`],
    ['externalid', sql<boolean>`external_id is not null`],
  ]),
  group: new Map([
    ['id', sql<boolean>`true`],
    ['displayname', sql<boolean>`true`],
    ['externalid', sql<boolean>`external_id is not null`],
  ]),
} as const

export const everything: RawBuilder<boolean> = sql<boolean>`true`

/** The condition that a filter means for users or groups. */
export function conditionOf(tenantId: string, kind: 'user' | 'group', filter: Filter, prefix = ''): RawBuilder<boolean> {
  const within = (part: Filter) => conditionOf(tenantId, kind, part, prefix)
  const nameOf = (path: string) =>
    `${prefix}${path.toLowerCase().startsWith(`${schemaOf[kind].toLowerCase()}:`) ? path.slice(schemaOf[kind].length + 1) : path}`
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sql<boolean>`(${sql.join(filter.parts.map(within), filter.kind === 'and' ? sql` and ` : sql` or `)})`
    case 'not':
      return sql<boolean>`(not coalesce(${within(filter.part)}, false))`
    case 'within': {
      // An account has one address, which is that of the work.
      const values = withoutType(filter.part)
      return values === undefined ? everything : conditionOf(tenantId, kind, values, `${nameOf(filter.path)}.`)
    }
    case 'present': {
      const known = presence[kind].get(nameOf(filter.path).toLowerCase())
      return known ?? refuse('invalidFilter', `${filter.path} cannot be filtered by pr`)
    }
    case 'compare': {
      const name = nameOf(filter.path)
      const leaf = leaves[kind].get(name.toLowerCase())
      if (leaf === undefined) return refuse('invalidFilter', `${name} is no attribute that can be filtered by`)
      if (filter.operator === 'ne') return sql<boolean>`(not coalesce(${leaf(tenantId, 'eq', filter.value)}, false))`
      return leaf(tenantId, filter.operator, filter.value)
    }
  }
}

function withoutType(filter: Filter): Filter | undefined {
  if (filter.kind === 'compare' && ['type', 'primary'].includes(filter.path.toLowerCase())) return undefined
  if (filter.kind !== 'and') return filter
  const parts = filter.parts.flatMap((part) => withoutType(part) ?? [])
  return parts.length === 0 ? undefined : { kind: 'and', parts }
}
