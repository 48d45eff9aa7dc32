// Calls through the front door by the contract: what tests and benches send to a running server.

import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import type { WireFault } from '#core/contract/faults.ts'
import { fillPath, paramNames, queryText, type Query } from '#core/contract/paths.ts'

/** What a refused call throws: the status and the fault as it was on the wire. */
export class CallRefused extends Error {
  override name = 'CallRefused'
  readonly status: number
  readonly code: string
  readonly fields: NonNullable<WireFault['fields']>
  constructor(status: number, fault: WireFault) {
    super(`${status} ${fault.code}: ${fault.message} ${JSON.stringify(fault.fields ?? [])}`)
    this.status = status
    this.code = fault.code
    this.fields = fault.fields ?? []
  }
}

/** What a call was refused with; fails where it was answered. */
export async function refusal(asked: Promise<unknown>): Promise<CallRefused> {
  try {
    await asked
  } catch (error) {
    if (error instanceof CallRefused) return error
    throw error
  }
  throw new Error('The call was not refused')
}

export type Caller = {
  call<C extends Call, D extends DraftOf<C> = DraftOf<C>>(
    call: C,
    input: ExactDraft<C, D>,
    headers?: Record<string, string>,
  ): Promise<OutputOf<C>>
  fetch(path: string, init?: RequestInit): Promise<Response>
}

export function caller(origin: string, headers: Record<string, string>, answered: (response: Response) => void = () => {}): Caller {
  return {
    fetch: (path, init = {}) =>
      fetch(origin + path, { redirect: 'manual', ...init, headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) } }),
    async call(call, input, more = {}) {
      const fields: Record<string, unknown> = { ...Object(input) }
      const params = Object.fromEntries(paramNames(call.path).map((name) => [name, String(fields[name] ?? '')]))
      for (const name of Object.keys(params)) delete fields[name]
      const inQuery = call.method === 'GET' || call.method === 'DELETE'
      const response = await fetch(origin + fillPath(call.path, params) + (inQuery ? queryText(fields as Query) : ''), {
        method: call.method,
        headers: { ...headers, ...more, ...(inQuery ? {} : { 'content-type': 'application/json' }) },
        ...(inQuery ? {} : { body: JSON.stringify(input) }),
      })
      answered(response)
      const body: unknown = await response.json()
      if (!response.ok) throw new CallRefused(response.status, body as WireFault)
      return body as OutputOf<typeof call>
    },
  }
}
