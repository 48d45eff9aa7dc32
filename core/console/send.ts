// One call to the server: `const answer = await send(tickets.calls.add, draft)`. Path parameters leave the input; the rest goes into the
// query of a GET or DELETE and into the JSON body of the others. A failure is thrown as a CallFault, after the ones that are handled
// once for the whole console (global-faults.ts) have been handled.

import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { fillPath, paramNames, queryText, type Query } from '#core/contract/paths.ts'
import { bootstrapStore } from './bootstrap.ts'
import { answeredFault, asCallFault, transportFault, type CallFault, type Failing } from './call-fault.ts'
import { antiForgery } from './cookies.ts'
import { handleGlobally } from './global-faults.ts'
import { noteFault } from './last-fault.ts'
import { askForProof } from './proof.ts'

export type SendOptions = {
  signal?: AbortSignal | undefined
  /** 60 s unless told; 0 for none. */
  timeoutMilliseconds?: number
  /** One per form mount, so that a repeated submit is one request. */
  idempotencyKey?: string
}

/** What sending needs to know of a call. */
export type Sendable = Pick<Call, 'method' | 'path' | 'area' | 'name' | 'failed' | 'faults' | 'reads' | 'created'>

/** The client's base address: empty, so calls go to the origin that served the page. */
export const baseAddress: string = import.meta.env?.VITE_CHANCERY_BASE ?? ''

const defaultTimeout = 60_000

export async function send<C extends Call, D extends DraftOf<C> = DraftOf<C>>(
  call: C,
  input: ExactDraft<C, D>,
  options?: SendOptions,
): Promise<OutputOf<C>> {
  return (await dispatch(call, input, options)) as OutputOf<C>
}

/** `send` for code that does not know the call's shapes: the list and the console's own doors. */
export async function dispatch(call: Sendable, input: unknown, options: SendOptions = {}): Promise<unknown> {
  return tellingFaults(`${call.area}.${call.name}`, async () => {
    const text = await proving(async () => {
      const { status, read } = await request(call, { method: call.method, ...addressed(call, input) }, options)
      if (call.created === true && status !== 201) throw transportFault(call, 'bad_response', new Error(`Answered ${status}, not 201`))
      return read((response) => response.text())
    })
    if (text === '') return undefined
    const answer = parsed(text)
    if (answer === undefined) throw transportFault(call, 'bad_response', new SyntaxError('The answer is not JSON'))
    return answer
  })
}

/** Sends once more what was refused until the person has proved who they are, and now has. */
async function proving<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (asCallFault(error).code === 'proof_needed' && (await askForProof())) return work()
    throw error
  }
}

/** Work with the server: its failure is logged, handled where the whole console handles it, and thrown as a CallFault. */
export async function tellingFaults<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = asCallFault(error)
    if (fault.code !== 'cancelled') {
      console.error(`${name}: ${fault.code} ${fault.status} ${fault.reference ?? ''}`.trim(), fault.cause ?? fault.says)
      noteFault(fault)
      handleGlobally(fault)
    }
    throw fault
  }
}

type Asked = { method: string; path: string; body: string | Blob | undefined }
type Answered = { status: number; read<T>(body: (response: Response) => Promise<T>): Promise<T> }

/** One request as the console sends all of them. The answer's body is read with the same patience as its beginning. */
export async function request(
  failing: Failing,
  { method, path, body }: Asked,
  { signal, timeoutMilliseconds = defaultTimeout, idempotencyKey }: SendOptions,
): Promise<Answered> {
  const timeout = timeoutMilliseconds > 0 ? AbortSignal.timeout(timeoutMilliseconds) : undefined
  const signals = [signal, timeout].filter((one) => one !== undefined)
  const broken = (cause: unknown, otherwise: 'network_error' | 'aborted'): CallFault =>
    transportFault(failing, signal?.aborted === true ? 'cancelled' : timeout?.aborted === true ? 'timeout' : otherwise, cause)

  const response = await fetch(baseAddress + path, {
    method,
    credentials: 'include',
    headers: {
      accept: 'application/json',
      ...shownTenancy(),
      ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' }),
      ...antiForgery(baseAddress + path),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
  }).catch((cause: unknown) => {
    throw broken(cause, 'network_error')
  })
  const read: Answered['read'] = async (bodyOf) =>
    bodyOf(response).catch((cause: unknown) => {
      throw broken(cause, 'aborted')
    })
  if (!response.ok) throw answeredFault(failing, response.status, parsed(await read((one) => one.text())))
  return { status: response.status, read }
}

/** Where a call goes and what it carries. */
export function addressed(call: Pick<Sendable, 'method' | 'path'>, input: unknown): { path: string; body: string | undefined } {
  const fields: Record<string, unknown> = typeof input === 'object' && input !== null ? { ...input } : {}
  const names = paramNames(call.path)
  const path = fillPath(
    call.path,
    Object.fromEntries(names.map((name) => [name, fields[name] === undefined ? undefined : String(fields[name])])),
  )
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
  if (call.method === 'GET' || call.method === 'DELETE') return { path: path + queryText(asQuery(rest)), body: undefined }
  return { path, body: JSON.stringify(rest) }
}

const asQuery = (fields: Record<string, unknown>): Query =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, string | string[]][] => {
      if (value === undefined || value === null) return []
      if (Array.isArray(value)) return [[name, value.map(String)]]
      return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]]
    }),
  )

/** The tenancy that this page shows: the server refuses the call where the session has gone to another one since, in another tab. */
function shownTenancy(): Record<string, string> {
  const viewer = bootstrapStore.getState().bootstrap?.viewer
  return viewer === undefined ? {} : { 'x-chancery-tenancy': viewer.tenantId }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
