// The one JSON text of a value, by RFC 8785 (JCS): members sorted by UTF-16 code units, no space, numbers and strings as
// ECMAScript writes them. A row of the audit log is hashed in this form, so that whoever reads it back, in whatever
// language, gets the same bytes. A member that is undefined is left out, as JSON has no word for it; everything else
// that JSON cannot say (a Date, a bigint, half a character) is refused rather than bent into something else.
import { AuditLogError } from './merkle.ts'

const MAX_DEPTH = 64

/** UTF-8 bytes of the canonical text. Throws AuditLogError naming the member that JSON cannot carry. */
export function canonicalJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(write(value, '$', 0))
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) throw new AuditLogError(`${path} is nested more than ${MAX_DEPTH} deep`)
  switch (typeof value) {
    case 'boolean':
      return String(value)
    case 'number':
      if (!Number.isFinite(value)) throw new AuditLogError(`${path} is ${value}, which JSON cannot carry`)
      return JSON.stringify(value)
    case 'string':
      return writeString(value, path)
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) {
        return `[${value.map((item, index) => write(item, `${path}[${index}]`, depth + 1)).join(',')}]`
      }
      return writeObject(value, path, depth)
    default:
      throw new AuditLogError(`${path} is of type ${typeof value}, which JSON cannot carry`)
  }
}

function writeObject(value: object, path: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new AuditLogError(`${path} is an object of a class, which JSON cannot carry`)
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${writeString(name, path)}:${write(member, `${path}.${name}`, depth + 1)}`)
  return `{${members.join(',')}}`
}

function writeString(value: string, path: string): string {
  if (!value.isWellFormed()) throw new AuditLogError(`${path} holds half a surrogate pair, which is no character`)
  return JSON.stringify(value)
}
