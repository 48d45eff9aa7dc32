// PATCH of a SCIM resource (RFC 7644 3.5.2), tolerant of what Entra and Okta send: operations in any case, booleans as texts, dotted keys without a path,
// extensions named by their URN, and a value that is not there yet but is told by its filter.

import { fitsFilter, isInherited, readPatchPath, ScimFilterError, type Filter, type PatchPath } from './filter.ts'

export type Operation = { op: 'add' | 'replace' | 'remove'; path?: PatchPath; value?: unknown }
export type Resource = Record<string, unknown>

export class ScimPatchError extends Error {
  override name = 'ScimPatchError'
  readonly scimType: 'invalidSyntax' | 'invalidPath' | 'invalidValue' | 'noTarget' | 'mutability'
  constructor(scimType: ScimPatchError['scimType'], says: string) {
    super(says)
    this.scimType = scimType
  }
}

export const mostOperations = 1_000
/** Bounds what one PATCH of a resource may send, since operations compare all values with each other. A resource of large lists (a group) is not patched here. */
export const patchBounds = { operations: 100, names: 100, values: 100, within: 2_000, depth: 8 } as const

const isRecord = (value: unknown): value is Resource => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member whatever its case. */
export function member(of: Resource, name: string): unknown {
  const key = keyOf(of, name)
  return key === undefined ? undefined : of[key]
}
const keyOf = (of: Resource, name: string): string | undefined => Object.keys(of).find((one) => one.toLowerCase() === name.toLowerCase())

/** Reads the operations of a PatchOp message. */
export function readOperations(body: unknown): Operation[] {
  const list = isRecord(body) ? member(body, 'Operations') : undefined
  if (!Array.isArray(list) || list.length === 0) throw new ScimPatchError('invalidSyntax', 'Operations: send at least one')
  if (list.length > mostOperations) throw new ScimPatchError('invalidSyntax', `Operations: send at most ${mostOperations}`)
  return list.map((one: unknown, at): Operation => {
    if (!isRecord(one)) throw new ScimPatchError('invalidSyntax', `Operations[${at}] is no object`)
    const op = String(member(one, 'op') ?? '').toLowerCase()
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw new ScimPatchError('invalidSyntax', `Operations[${at}].op is none of add, replace and remove`)
    const path = member(one, 'path')
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw new ScimPatchError('invalidPath', `Operations[${at}].path is no text`)
    const value = member(one, 'value')
    if (op === 'remove' && (path === undefined || path === null || path === ''))
      throw new ScimPatchError('noTarget', `Operations[${at}] removes without a path`)
    if (op !== 'remove' && value === undefined) throw new ScimPatchError('invalidValue', `Operations[${at}].value is missing`)
    return {
      op,
      ...(typeof path === 'string' && path !== '' ? { path: pathOf(path, at) } : {}),
      ...(value === undefined ? {} : { value }),
    }
  })
}

function pathOf(text: string, at: number): PatchPath {
  try {
    return readPatchPath(text)
  } catch (error) {
    if (!(error instanceof ScimFilterError)) throw error
    throw new ScimPatchError('invalidPath', `Operations[${at}].path: ${error.message}`)
  }
}

/** The resource after the operations; what was given stays as it is. */
export function applyPatch(resource: Resource, operations: readonly Operation[]): Resource {
  if (operations.length > patchBounds.operations)
    throw new ScimPatchError('invalidSyntax', `Operations: send at most ${patchBounds.operations} here`)
  boundValues(operations)
  const after = structuredClone(resource)
  for (const operation of operations) {
    if (operation.path !== undefined) {
      applyAt(after, operation.path, operation)
      continue
    }
    if (!isRecord(operation.value)) throw new ScimPatchError('invalidValue', 'An operation without a path has an object as its value')
    for (const [key, value] of Object.entries(operation.value)) applyAt(after, readKey(key), { ...operation, value })
  }
  return after
}

/** Refuses values that take too long to compare, and names that are not a resource's own. */
function boundValues(operations: readonly Operation[]): void {
  let count = 0
  const walk = (value: unknown, depth: number): void => {
    count += 1
    if (count > patchBounds.within) throw new ScimPatchError('invalidValue', `Operations: send at most ${patchBounds.within} values`)
    if (depth > patchBounds.depth)
      throw new ScimPatchError('invalidValue', `Operations: send at most ${patchBounds.depth} levels of values`)
    if (Array.isArray(value)) {
      if (value.length > patchBounds.values) throw tooManyValues('Operations')
      for (const one of value) walk(one, depth + 1)
    } else if (isRecord(value))
      for (const [name, inner] of Object.entries(value)) {
        if (isInherited(name)) throw new ScimPatchError('invalidValue', `${name} is no name of an attribute`)
        walk(inner, depth + 1)
      }
  }
  for (const { value } of operations) walk(value, 1)
}

const tooManyValues = (name: string) => new ScimPatchError('invalidValue', `${name}: send at most ${patchBounds.values} values`)

/** Reads the key of a value as the path that it is. */
export function readKey(key: string): PatchPath {
  try {
    return readPatchPath(key)
  } catch (error) {
    if (!(error instanceof ScimFilterError)) throw error
    throw new ScimPatchError('invalidPath', `${key.slice(0, 60)}: ${error.message}`)
  }
}

/** The names on the way to an attribute: the URN of an extension is one name, dots of a version number and all. */
export function namesOf(attribute: string): string[] {
  const urn = /^(urn:.+:(?:User|Group))(?::(.+))?$/i.exec(attribute)
  if (urn === null) return attribute.split('.')
  const [, extension = '', within] = urn
  const names = within === undefined ? [] : within.split('.')
  return /^urn:ietf:params:scim:schemas:core:/i.test(extension) ? names : [extension, ...names]
}

function applyAt(resource: Resource, { attribute, filter, part }: PatchPath, { op, value }: Operation): void {
  const names = namesOf(attribute)
  // The URN of the resource's own schema with nothing behind it.
  if (names.length === 0) {
    if (isRecord(value)) for (const [key, inner] of Object.entries(value)) applyAt(resource, readKey(key), { op, value: inner })
    return
  }
  const last = names.at(-1) ?? ''
  let holder = resource
  for (const name of names.slice(0, -1)) {
    const key = keyOf(holder, name) ?? name
    const inner = ownValue(holder, key)
    // `emails.value` means each of them; a client that writes it means the first.
    const next = Array.isArray(inner) ? inner.find(isRecord) : inner
    if (isRecord(next)) {
      holder = next
      continue
    }
    if (op === 'remove') return
    const fresh: Resource = {}
    write(holder, key, fresh)
    holder = fresh
  }
  const key = keyOf(holder, last) ?? last
  if (filter !== undefined) return applyToValues(holder, key, { op, value, filter, part })
  if (op === 'remove') return removeAt(holder, key, value)
  const before = ownValue(holder, key)
  if (op === 'add' && Array.isArray(before)) return write(holder, key, addedTo(before, Array.isArray(value) ? value : [value]))
  write(holder, key, isRecord(before) && isRecord(value) ? mergedInto(before, value) : value)
}

/** Reads what an object holds itself: nothing that all objects of the process share is ever reached. */
const ownValue = (holder: Resource, key: string): unknown => (Object.hasOwn(holder, key) ? holder[key] : undefined)

function write(holder: Resource, key: string, value: unknown): void {
  if (isInherited(key)) throw new ScimPatchError('invalidPath', `${key} is no name of an attribute`)
  const before = ownValue(holder, key)
  if (Array.isArray(value) && value.length > patchBounds.values && value.length > (Array.isArray(before) ? before.length : 0))
    throw tooManyValues(key)
  if (!Object.hasOwn(holder, key) && Object.keys(holder).length >= patchBounds.names)
    throw new ScimPatchError('invalidValue', `${key}: a resource has at most ${patchBounds.names} attributes`)
  holder[key] = value
}

const mergedInto = (before: Resource, value: Resource): Resource => {
  const after = { ...before }
  for (const [name, inner] of Object.entries(value)) write(after, keyOf(after, name) ?? name, inner)
  return after
}

/** Entra removes members with `value` beside the path; without one, all go. */
function removeAt(holder: Resource, key: string, value: unknown): void {
  const before = holder[key]
  if (value === undefined || value === null || !Array.isArray(before)) {
    delete holder[key]
    return
  }
  const gone = new Set(valuesIn(value))
  holder[key] = before.filter((one) => !valuesIn(one).some((text) => gone.has(text)))
}

/** The ids in a value of members: an object, a list of them, or bare texts. */
export const valuesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const text = isRecord(one) ? member(one, 'value') : one
    return typeof text === 'string' ? [text] : []
  })

function addedTo(before: readonly unknown[], added: readonly unknown[]): unknown[] {
  const isPrimary = (one: unknown): boolean => isRecord(one) && member(one, 'primary') === true
  const kept = added.some(isPrimary) ? before.map((one) => (isRecord(one) ? withoutPrimary(one) : one)) : [...before]
  const known = new Set(kept.map((one) => JSON.stringify(one)))
  for (const one of added) {
    const text = JSON.stringify(one)
    if (known.has(text)) continue
    known.add(text)
    kept.push(one)
  }
  return kept
}

const withoutPrimary = (one: Resource): Resource => Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'primary'))

function applyToValues(
  holder: Resource,
  key: string,
  { op, value, filter, part }: { op: Operation['op']; value: unknown; filter: Filter; part: string | undefined },
): void {
  const held = ownValue(holder, key)
  const list: unknown[] = Array.isArray(held) ? held : []
  const fitting = list.filter((one) => fitsFilter(one, filter))
  const others = list.filter((one) => !fitting.includes(one))
  if (op === 'remove') {
    if (part === undefined) write(holder, key, others)
    else for (const one of fitting) if (isRecord(one)) delete one[keyOf(one, part) ?? part]
    return
  }
  // Entra writes to `emails[type eq "work"].value` although there is none: it means one that fits the filter.
  const targets = fitting.length > 0 ? fitting : [madeFrom(filter)]
  const after = others
  for (const target of targets) {
    const one: Resource = isRecord(target) ? target : { value: target }
    after.push(mergedInto(one, part !== undefined ? { [part]: value } : isRecord(value) ? value : { value }))
  }
  write(holder, key, after)
}

/** A value of which the filter would hold: `type eq "work"` makes `{type: 'work'}`. */
function madeFrom(filter: Filter): Resource {
  if (filter.kind === 'compare' && filter.operator === 'eq' && !isInherited(filter.path)) return { [filter.path]: filter.value }
  if (filter.kind === 'and') return Object.assign({}, ...filter.parts.map(madeFrom)) as Resource
  throw new ScimPatchError('noTarget', 'No value fits the filter of the path')
}
