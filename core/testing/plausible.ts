// Input that a call's own shape lets through, made from that shape: for tests that ask every call something.

import * as z from 'zod'
import type { Call } from '#core/contract/contract.ts'

type Json = { [key: string]: unknown }
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An id of nothing. */
export const missingId = '018f0000-0000-7000-8000-000000000001'
const texts: Record<string, string> = {
  uuid: missingId,
  email: 'ada@example.org',
  'date-time': '2030-01-01T00:00:00Z',
  date: '2030-01-01',
  base64: 'YQ==',
}

function textFor(schema: Json): string {
  const plain = 'a'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)))
  const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u')
  return [plain, '#1f6feb', '/home', 'GB', '123456'].find((text) => pattern.test(text)) ?? plain
}

const fittings = new WeakMap<Call, unknown>()

/** An input of the call that its own shape lets through; what a schema cannot say of a field that may be left out is left out. Made once for each call. */
export function fitting(call: Call): unknown {
  if (!fittings.has(call)) fittings.set(call, makeFitting(call))
  return structuredClone(fittings.get(call))
}

function makeFitting(call: Call): unknown {
  const input = plausible(z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }))
  const wrong = call.input.safeParse(input).error?.issues.map(({ path }) => path[0]) ?? []
  return isObject(input) ? Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.includes(name))) : input
}

/** A value that a JSON schema allows, as small as it may be. */
function plausible(schema: unknown): unknown {
  if (!isObject(schema)) return undefined
  if ('const' in schema) return schema['const']
  // What a schema cannot say, such as that no two of a list are alike, a shape shows by an example.
  if (Array.isArray(schema['examples']) && schema['examples'].length > 0) return schema['examples'][0]
  if ('default' in schema) return schema['default']
  for (const key of ['enum', 'anyOf', 'oneOf', 'allOf']) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : []
    if (first !== undefined) return key === 'enum' ? first : plausible(first)
  }
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, inner]) => [name, plausible(inner)]),
      )
    case 'array':
      return Array.from({ length: Math.min(Number(schema['minItems'] ?? 1), 3) }, () => plausible(schema['items']))
    case 'number':
    case 'integer':
      return Math.max(1, Number(schema['minimum'] ?? 1))
    case 'boolean':
      return false
    case 'string':
      return texts[String(schema['format'])] ?? textFor(schema)
    default:
      return undefined
  }
}
