// Two kinds of error: ours, and the one that is shown. `Fault` is shown as it is; anything else becomes "An unexpected error occurred"
// with a reference that leads to the log.

import type { Call } from '#core/contract/contract.ts'
import { commonFaults, type CommonFault, type FaultText, type FieldFault, type WireFault } from '#core/contract/faults.ts'
import { brokenConstraint } from './database.ts'

export type FaultDetail = { params?: Record<string, string | number>; fields?: FieldFault[] }

export class Fault extends Error {
  override name = 'Fault'
  readonly code: string
  readonly status: number
  readonly detail: FaultDetail
  constructor(code: string, text: FaultText, detail: FaultDetail = {}) {
    super(fillText(text.says, detail.params))
    this.code = code
    this.status = text.status
    this.detail = detail
  }
}

/** The event row could not be written: the work is undone and the answer is the specified 503. */
export class AuditFailure extends Error {
  override name = 'AuditFailure'
}

/** What shall be signed with is out of reach now; nothing is wrong with what was asked. `says` why, in the person's words. */
export class KeyOutOfReach extends Error {
  override name = 'KeyOutOfReach'
  readonly says: string
  constructor(says: string, options?: ErrorOptions) {
    super(fillText(commonFaults.key_unavailable.says, { reason: says }), options)
    this.says = says
  }
}

export const commonFault = (code: CommonFault, detail?: FaultDetail): Fault => new Fault(code, commonFaults[code], detail)

/** A fault by its name: one of the call's own, or one that any call may answer with. */
export function faultOfCall(call: Pick<Call, 'faults'>, code: string, detail?: FaultDetail): Fault {
  const own = call.faults?.[code]
  if (own !== undefined) return new Fault(code, own, withField(own, detail))
  return Object.hasOwn(commonFaults, code) ? commonFault(code as CommonFault, detail) : commonFault('unexpected')
}

/** Puts a fault on the field that its contract names, unless the handler named fields itself. */
const withField = ({ field, says }: FaultText, detail: FaultDetail = {}): FaultDetail =>
  field === undefined || detail.fields !== undefined ? detail : { ...detail, fields: [{ field, says: fillText(says, detail.params) }] }

/** The fault of the call that a broken constraint means; any other error as it is. */
export function faultOfConstraint(call: Pick<Call, 'faults'>, error: unknown): unknown {
  const broken = brokenConstraint(error)
  const [code] = broken === undefined ? [] : (Object.entries(call.faults ?? {}).find(([, { constraint }]) => constraint === broken) ?? [])
  return code === undefined ? error : faultOfCall(call, code)
}

export const invalidField = (field: string, says: string): Fault => commonFault('invalid', { fields: [{ field, says }] })

export const fillText = (says: string, params: FaultDetail['params']) =>
  says.replace(/\{(\w+)\}/g, (whole, name: string) => String(params?.[name] ?? whole))

/** PostgreSQL's own names for what went wrong: the database is away or too busy, not the request wrong. */
const databaseAway = new Set([
  '40001',
  '40P01',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
  '53300',
  '53100',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
])

/** What was sent and is no value of its column: a NUL in a text or in JSON, half a character in JSON, a moment of no calendar. */
const unstorable = new Set(['22021', '22P05', '22008'])

/** The one place where an error becomes an answer. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof AuditFailure) return commonFault('audit_failed')
  if (error instanceof KeyOutOfReach) return commonFault('key_unavailable', { params: { reason: error.says } })
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  // Only a database is connected to here.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'connect') return commonFault('database_away')
  if (code !== undefined && unstorable.has(code)) return commonFault('malformed')
  if (code !== undefined && databaseAway.has(code)) return commonFault('unavailable')
  if (error instanceof Error && /Connection terminated|timeout exceeded when trying to connect/.test(error.message))
    return commonFault('unavailable')
  return commonFault('unexpected')
}

export const wireFault = (fault: Fault, reference: string): WireFault => ({
  code: fault.code,
  message: fault.message,
  ...fault.detail,
  reference,
})
