// The OpenAPI 3.1 description, made from the contracts at run time: there is no second list to keep.

import * as z from 'zod'
import type { Call } from '#core/contract/contract.ts'
import { commonFaults } from '#core/contract/faults.ts'
import { paramNames } from '#core/contract/paths.ts'
import type { Room } from './serve.ts'

type Json = Record<string, unknown>

export function describeApi(rooms: readonly Room[], version: string, origin: string): Json {
  const paths: Record<string, Json> = {}
  const shared: Json = { Fault: faultSchema }
  for (const room of rooms) {
    for (const { call } of room.calls) {
      const path = call.path.replace(/:(\w+)\??/g, '{$1}')
      paths[path] = { ...paths[path], [call.method.toLowerCase()]: describeCall(call, shared) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Chancery', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: origin }],
    security: [{ token: [] }, { session: [], antiForgery: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A personal API token' },
        session: { type: 'apiKey', in: 'cookie', name: 'chancery-session' },
        antiForgery: { type: 'apiKey', in: 'header', name: 'X-XSRF-TOKEN', description: 'The value of the XSRF-TOKEN cookie' },
      },
      schemas: shared,
    },
  }
}

const faultSchema: Json = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    params: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'says'],
        properties: { field: { type: 'string' }, says: { type: 'string' }, severity: { enum: ['warn', 'error', 'fatal'] } },
      },
    },
    reference: { type: 'string', description: 'Leads to this request in the server log' },
  },
}

function describeCall(call: Call, shared: Json): Json {
  const input = schemaOf(call, 'input', shared)
  const properties: Json = { ...Object(input['properties']) }
  const inPath = paramNames(call.path)
  const inQuery = call.method === 'GET' || call.method === 'DELETE'
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? { type: 'string' } })),
    ...(inQuery
      ? Object.entries(properties)
          .filter(([name]) => !inPath.includes(name))
          .map(([name, schema]) => ({
            name,
            in: 'query',
            required: Array.isArray(input['required']) && input['required'].includes(name),
            schema,
          }))
      : []),
  ]
  return {
    operationId: `${call.area}.${call.name}`,
    tags: [call.area],
    summary: inWords(call.name),
    description: `${call.does} ${whoMay[call.needs] ?? `Needs the permission \`${call.needs}\`.`}${call.failed === undefined ? '' : ` Where it fails: ${call.failed}.`}`,
    'x-permission': call.needs,
    ...(call.needs === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inQuery ? {} : { requestBody: { required: true, content: { 'application/json': { schema: input, example: exampleOf(input) } } } }),
    responses: {
      [call.created === true ? 201 : 200]: {
        description: call.done ?? 'Done',
        content: { 'application/json': { schema: schemaOf(call, 'output', shared) } },
      },
      ...faultResponses(call),
    },
  }
}

const whoMay: Partial<Record<Call['needs'], string>> = { public: 'Anybody may call it.', signedIn: 'Anybody who is signed in may call it.' }

/** `requestForDevice` is "Request for device", and `TOTPAuth` "TOTP auth". */
const inWords = (name: string): string => {
  const words = name
    .split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const exampleTexts: Record<string, string> = {
  uuid: '018f0000-0000-7000-8000-000000000001',
  email: 'ada@example.org',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  uri: 'https://example.org/',
}

/** A value of the shape with nothing but what is required: where a program begins. */
function exampleOf(shape: unknown): unknown {
  const {
    type,
    format,
    enum: values,
    default: usual,
    const: only,
    required = [],
    properties = {},
    items,
    minItems,
    minimum,
    ...rest
  }: Json = Object(shape)
  const choice: unknown = [rest['anyOf'], rest['oneOf'], rest['allOf']].find(Array.isArray)?.[0]
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (usual !== undefined) return usual
  if (choice !== undefined) return exampleOf(choice)
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(Object(properties)).flatMap(([name, part]) =>
        Array.isArray(required) && required.includes(name) ? [[name, exampleOf(part)]] : [],
      ),
    )
  if (type === 'array') return Number(minItems ?? 0) > 0 ? [exampleOf(items)] : []
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? Math.max(minimum, 1) : 1
  if (type === 'boolean') return true
  return exampleTexts[String(format)] ?? 'text'
}

function faultResponses(call: Call): Json {
  const byStatus = new Map<number, string[]>()
  const common = call.needs === 'public' ? ['invalid', 'too_many_requests'] : ['invalid', 'not_logged_in', 'denied', 'missing']
  const faults = [...Object.entries(commonFaults).filter(([code]) => common.includes(code)), ...Object.entries(call.faults ?? {})]
  for (const [code, { status, says }] of faults) byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${says}`])
  return Object.fromEntries(
    [...byStatus].map(([status, texts]) => [
      status,
      { description: texts.join('\n\n'), content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } } },
    ]),
  )
}

/** What a shape names of itself (one that holds itself) stands among the shared schemas, where a reference finds it from anywhere. */
function schemaOf(call: Call, io: 'input' | 'output', shared: Json): Json {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(call[io], { io, unrepresentable: 'any' })
  const prefix = `${call.area}.${call.name}.${io}`
  const led = (part: unknown): Json => JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}.`))
  for (const [name, part] of Object.entries($defs)) shared[`${prefix}.${name}`] = led(part)
  return led(schema)
}
