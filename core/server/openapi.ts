// The OpenAPI 3.1 description, made from the contracts at run time: there is no second list to keep.

import * as z from 'zod'
import type { Call } from '#core/contract/contract.ts'
import { commonFaults } from '#core/contract/faults.ts'
import { paramNames } from '#core/contract/paths.ts'
import type { Room } from './serve.ts'

type Json = Record<string, unknown>

export function describeApi(rooms: readonly Room[], version: string, origin: string): Json {
  const paths: Record<string, Json> = {}
  for (const room of rooms) {
    for (const { call } of room.calls) {
      const path = call.path.replace(/:(\w+)\??/g, '{$1}')
      paths[path] = { ...paths[path], [call.method.toLowerCase()]: describeCall(call) }
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
      schemas: { Fault: faultSchema },
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
    fields: { type: 'array', items: { type: 'object', required: ['field', 'says'], properties: { field: { type: 'string' }, says: { type: 'string' } } } },
    reference: { type: 'string', description: 'Leads to this request in the server log' },
  },
}

function describeCall(call: Call): Json {
  const input = schemaOf(call.input, 'input')
  const properties: Json = { ...Object(input['properties']) }
  const inPath = paramNames(call.path)
  const inQuery = call.method === 'GET' || call.method === 'DELETE'
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? { type: 'string' } })),
    ...(inQuery
      ? Object.entries(properties)
          .filter(([name]) => !inPath.includes(name))
          .map(([name, schema]) => ({ name, in: 'query', required: Array.isArray(input['required']) && input['required'].includes(name), schema }))
      : []),
  ]
  return {
    operationId: `${call.area}.${call.name}`,
    tags: [call.area],
    'x-permission': call.needs,
    ...(call.needs === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inQuery ? {} : { requestBody: { required: true, content: { 'application/json': { schema: input } } } }),
    responses: {
      200: { description: call.done ?? 'Done', content: { 'application/json': { schema: schemaOf(call.output, 'output') } } },
      ...faultResponses(call),
    },
  }
}

function faultResponses(call: Call): Json {
  const byStatus = new Map<number, string[]>()
  const common = call.needs === 'public' ? ['invalid', 'too_many_requests'] : ['invalid', 'not_logged_in', 'denied', 'missing']
  const faults = [...Object.entries(commonFaults).filter(([code]) => common.includes(code)), ...Object.entries(call.faults ?? {})]
  for (const [code, { status, says }] of faults) byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${says}`])
  return Object.fromEntries(
    [...byStatus].map(([status, texts]) => [status, { description: texts.join('\n\n'), content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } } }]),
  )
}

const schemaOf = (shape: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' })
  return schema
}
