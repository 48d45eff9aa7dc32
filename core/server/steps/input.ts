// Reads the body or the query, bounded, and parses it by the call's own shape. What is wrong lands on its field.

import type { IncomingMessage } from 'node:http'
import type * as z from 'zod'
import { paramNames } from '#core/contract/paths.ts'
import { JsonError, readCounted } from '#standards/json/read.ts'
import { say } from '#standards/say/say.ts'
import { bodyBudget } from '../body-budget.ts'
import type { Exchange } from '../exchange.ts'
import { isIdempotencyKey } from '../facts.ts'
import { commonFault } from '../fault.ts'
import { requestLimit } from '../request-size.ts'
import { isChange } from '../router.ts'
import { readExactly, readShape } from '../shape-faults.ts'

const defaultBodyLimit = 1024 * 1024

export async function readInput(exchange: Exchange): Promise<void> {
  const { route, params } = exchange.match
  if (route.kind !== 'call') return
  const call = route.binding.call
  const key = exchange.incoming.headers['idempotency-key']
  if (key !== undefined && isChange(call) && !isIdempotencyKey(String(key)))
    throw commonFault('invalid', {
      fields: [{ field: 'Idempotency-Key', says: say`Use 8 to 100 letters, digits, hyphens and underscores` }],
    })
  const inQuery = call.method === 'GET' || call.method === 'DELETE'
  const sent = inQuery
    ? readQuery(exchange.url, call.input)
    : readText(await readWithin(exchange, call.bodyLimit ?? defaultBodyLimit), exchange, call.values)
  const names = paramNames(call.path)
  if (names.length > 0 && (typeof sent !== 'object' || sent === null || Array.isArray(sent))) throw commonFault('malformed')
  const parse = call.lenient === undefined ? parseExactly : parseShape
  exchange.input = parse(call.input, names.length > 0 ? { ...Object(sent), ...params } : sent)
}

export function parseShape<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  const { data, fields } = readShape(shape, value)
  if (fields !== undefined) throw commonFault('invalid', { fields })
  return data
}

/** Refuses fields that the shape does not know as well: what is misspelt would be done, or shown, to more than was meant. */
export function parseExactly<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  const { data, fields } = readExactly(shape, value)
  if (fields !== undefined) throw commonFault('invalid', { fields })
  return data
}

/** The query as an object. A name that occurs twice, or that the shape wants as a list, becomes a list; numbers and booleans are read where the shape is not text. */
export function readQuery(url: URL, shape: z.ZodType): Record<string, unknown> {
  const shapes: Record<string, unknown> =
    'shape' in shape && typeof shape.shape === 'object' && shape.shape !== null ? { ...shape.shape } : {}
  const query: Record<string, unknown> = {}
  // Grouped in one pass: an address may have thousands of names.
  for (const [name, entries] of Map.groupBy(url.searchParams, ([one]) => one)) {
    const values = entries.map(([, value]) => value)
    const kind = innermostKind(shapes[name])
    if (kind === 'array') query[name] = values
    else if (values.length > 1) throw commonFault('invalid', { fields: [{ field: name, says: say`Give this once` }] })
    else query[name] = readScalar(values[0] ?? '', kind)
  }
  return query
}

function innermostKind(shape: unknown): string {
  const definition = typeof shape === 'object' && shape !== null && 'def' in shape ? shape.def : undefined
  if (typeof definition !== 'object' || definition === null || !('type' in definition)) return 'string'
  const inner = 'innerType' in definition ? definition.innerType : undefined
  return inner === undefined ? String(definition.type) : innermostKind(inner)
}

function readScalar(text: string, kind: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** The body of a request, as long as the door and the tenancy let it be. Long ones have a budget (body-budget.ts). */
export async function readWithin(exchange: Exchange, most: number): Promise<Buffer> {
  const limit = await requestLimit(exchange, most)
  return readBody(exchange.incoming, limit, bodyBudget(exchange).bytes)
}

function readText(body: Buffer, exchange: Exchange, most: number | undefined): unknown {
  if (body.length === 0) return {}
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(exchange.incoming.headers['content-type'] ?? '')) throw commonFault('wrong_type')
  try {
    const { value, values } = readCounted(body, most === undefined ? {} : { values: most })
    bodyBudget(exchange).values(values)
    return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw commonFault('malformed', { fields: [{ field: '', says: error.message }] })
  }
}

/** Nobody is there to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

const bodies = new WeakMap<IncomingMessage, Buffer>()

/** For whoever has read the body before it was known who asks for it. */
export const keepBody = (incoming: IncomingMessage, body: Buffer): void => void bodies.set(incoming, body)

/**
 * The body's bytes, refused past `limit` before more is read. The connection outlives a refused body: it carries the answer. `spend` is told of the bytes
 * that come, and throws where no more may.
 */
async function readBody(incoming: IncomingMessage, limit: number, spend: (bytes: number) => void): Promise<Buffer> {
  const known = bodies.get(incoming)
  if (known !== undefined) return known
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw commonFault('too_large')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > limit) return settle(() => reject(commonFault('too_large')))
      try {
        spend(chunk.length)
      } catch (error) {
        settle(() => reject(error))
      }
    }
    const end = () => settle(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    const fail = (error: Error) => settle(() => reject(error))
    const close = () => fail(new ClientGone('The client went away before its request was whole'))
    const settle = (outcome: () => void) => {
      incoming.pause()
      incoming.off('data', take).off('end', end).off('error', fail).off('close', close)
      // What still goes wrong with the connection is no error of this request.
      incoming.on('error', () => {})
      outcome()
    }
    if (incoming.destroyed) close()
    else incoming.on('data', take).on('end', end).on('error', fail).on('close', close)
  })
}
