// A call that failed, in the person's words. The code is one of the call's own faults, a common one, or one of the HTTP client's.

import type { CallShape } from '#core/contract/contract.ts'
import { commonFaults, type FaultText, type FieldFault, type WireFault } from '#core/contract/faults.ts'
import { isWorded } from '#core/contract/worded.ts'
import { say } from '#standards/say/say.ts'
import { t } from './text.ts'

/** The HTTP client's own codes (specification part 1 section 8). */
const transportFaults = {
  network_error: say`The server cannot be reached. Check the connection and try again`,
  timeout: say`The server did not answer in time. What you asked for may still have happened: look before you try again`,
  aborted: say`The connection was lost while the answer was on its way. What you asked for may have happened: look before you try again`,
  bad_request: say`An unexpected error occurred`,
  bad_response: say`An unexpected error occurred`,
  cancelled: say`Cancelled`,
} as const

export type TransportCode = keyof typeof transportFaults

export class CallFault extends Error {
  override name = 'CallFault'
  readonly code: string
  /** What happened, translated. */
  readonly says: string
  /** The call's title for a failure, translated; empty where the contract gives none. */
  readonly title: string
  readonly fields: readonly FieldFault[]
  readonly reference: string | undefined
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  /** How the HTTP client sees it. */
  readonly transport: TransportCode
  /** In so many seconds it can be tried again, where the server said it. */
  readonly retrySeconds: number | undefined
  /** The person knows what to do: a wrong PIN. */
  readonly isExpected: boolean

  constructor(facts: {
    code: string
    says: string
    title?: string
    fields?: readonly FieldFault[]
    reference?: string | undefined
    status?: number
    transport: TransportCode
    retrySeconds?: number | undefined
    isExpected?: boolean
    cause?: unknown
  }) {
    super(facts.says, { cause: facts.cause })
    this.code = facts.code
    this.says = facts.says
    this.title = facts.title ?? ''
    this.fields = facts.fields ?? []
    this.reference = facts.reference
    this.status = facts.status ?? 0
    this.transport = facts.transport
    this.retrySeconds = facts.retrySeconds
    this.isExpected = facts.isExpected ?? false
  }
}

/** What a call says of its failures. */
export type Failing = Pick<CallShape, 'failed' | 'faults'>

const titleOf = (call: Failing) => (call.failed === undefined ? '' : t(call.failed))

export const transportFault = (call: Failing, code: TransportCode, cause?: unknown): CallFault =>
  new CallFault({ code, says: t(transportFaults[code]), title: titleOf(call), transport: code, cause })

/** The fault that an answer outside 200-299 means. A body that is not a fault is as good as none. */
export function answeredFault(call: Failing, status: number, body: unknown): CallFault {
  const transport = status >= 500 ? 'bad_response' : 'bad_request'
  const wire = isWireFault(body) ? body : undefined
  const code = wire?.code ?? transport
  const known: FaultText | undefined = call.faults?.[code] ?? textOf(commonFaults, code)
  const says = known === undefined ? t(wire?.message ?? transportFaults[transport]) : t(known.says, inWords(wire?.params))
  return new CallFault({
    code,
    says,
    title: titleOf(call),
    fields: wire?.fields?.map(({ field, says, code }) => ({ field, says: t(says), ...(code === undefined ? {} : { code }) })) ?? [],
    reference: wire?.reference,
    isExpected: known?.expected === true,
    status,
    transport,
    retrySeconds: code === 'too_many_requests' && typeof wire?.params?.['seconds'] === 'number' ? wire.params['seconds'] : undefined,
  })
}

/** The values of a fault, those that are words of ours in the reader's language. */
const inWords = (params: WireFault['params']): WireFault['params'] =>
  params &&
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' && isWorded(name) ? t(value) : value]))

const textOf = (texts: Record<string, FaultText>, code: string): FaultText | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined

export const isWireFault = (body: unknown): body is WireFault =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'message' in body &&
  typeof body.message === 'string'

/** Whatever was thrown, as something to show. */
export const asCallFault = (error: unknown): CallFault =>
  error instanceof CallFault
    ? error
    : new CallFault({ code: 'unexpected', says: t('An unexpected error occurred'), transport: 'bad_response', cause: error })
