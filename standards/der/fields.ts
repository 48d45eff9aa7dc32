// Walking through a SEQUENCE field by field. Each step names the field, so that whatever goes wrong later, at any depth,
// carries a path such as `tbsCertificate.extensions[2].extnValue`.
import { say } from '#standards/say/say.ts'
import { TAG, describeTag, readDer, type DerLimits, type DerValue } from './reader.ts'
import { expectUniversal, faultAt, isContext, isUniversal } from './values.ts'

export interface DerFields {
  readonly parent: DerValue
  next: number
}

/** Begins at the first field of a SEQUENCE. */
export function fieldsOf(value: DerValue): DerFields {
  expectUniversal(value, TAG.sequence)
  return { parent: value, next: 0 }
}

/** The next field, which must be there. */
export function take(fields: DerFields, name: string): DerValue {
  const value = fields.parent.children[fields.next]
  if (value === undefined) throw faultAt(fields.parent, say`The field ${name} is missing`)
  fields.next += 1
  value.path = join(fields.parent.path, name)
  return value
}

/** The next field if there is one and it carries the context tag. */
export function takeContext(fields: DerFields, tagNumber: number, name: string): DerValue | undefined {
  const value = fields.parent.children[fields.next]
  return value !== undefined && isContext(value, tagNumber) ? take(fields, name) : undefined
}

/** The next field if there is one and it carries the universal tag. */
export function takeUniversal(fields: DerFields, tagNumber: number, name: string): DerValue | undefined {
  const value = fields.parent.children[fields.next]
  return value !== undefined && isUniversal(value, tagNumber) ? take(fields, name) : undefined
}

export function hasMore(fields: DerFields): boolean {
  return fields.next < fields.parent.children.length
}

/** Throws when fields are left that nobody took. */
export function finish(fields: DerFields): void {
  const value = fields.parent.children[fields.next]
  if (value === undefined) return
  value.path = fields.parent.path
  throw faultAt(value, say`Unexpected ${describeTag(value)} after the last field`)
}

/** The elements of a SEQUENCE OF, named `path[0]`, `path[1]` ...; `min` of them must be there. */
export function elementsOf(value: DerValue, min = 0): readonly DerValue[] {
  expectUniversal(value, TAG.sequence)
  return named(value, min)
}

/** The elements of a SET OF, in the order written; see checkSetOfOrder. */
export function setElementsOf(value: DerValue, min = 0): readonly DerValue[] {
  expectUniversal(value, TAG.set)
  return named(value, min)
}

function named(value: DerValue, min: number): readonly DerValue[] {
  if (value.children.length < min)
    throw faultAt(value, min === 1 ? say`The list must not be empty` : say`The list needs at least ${min} elements`)
  value.children.forEach((child, index) => {
    child.path = `${value.path}[${index}]`
  })
  return value.children
}

/** Reads the DER inside an OCTET STRING (or BIT STRING) whose content is `bytes`, keeping offsets and path. */
export function readInside(value: DerValue, bytes: Uint8Array, limits: DerLimits = {}): DerValue {
  const lead = bytes.byteOffset - value.encoded.byteOffset
  return readDer(bytes, { ...limits, offset: value.offset + lead, path: value.path })
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
