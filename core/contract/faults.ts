// The faults that any call may answer with. A call's own faults stand in its contract, beside it.
// The wire carries the code; the words come from here or from the contract, so the two sides cannot drift.

export type FaultText = {
  status: number
  says: string
  /** The field of the input that it is about: the form shows it there. */
  field?: string
  /** The constraint or unique index of the database that, when broken, means this fault. */
  constraint?: string
  /** A wrong PIN or password: whoever sees it knows what to do, and needs neither a reference nor support. */
  expected?: true
}

export const commonFaults = {
  invalid: { status: 400, says: 'Some fields need attention' },
  malformed: { status: 400, says: 'The request could not be read' },
  not_logged_in: { status: 401, says: 'Sign in to go on' },
  payment_required: { status: 402, says: 'A payment method is needed for this' },
  denied: { status: 403, says: 'You do not have permission to do this' },
  forged: { status: 403, says: 'The request came without its anti-forgery token. Reload the page and try again' },
  session_needed: { status: 403, says: 'A token cannot do this. Sign in' },
  proof_needed: { status: 403, says: 'Confirm that it is you, then try again' },
  foreign_origin: {
    status: 403,
    says: 'This page comes from another address than the one Chancery is set up for. Open it there, or set CHANCERY_ORIGIN',
  },
  missing: { status: 404, says: 'This does not exist, or not for you' },
  wrong_method: { status: 405, says: 'This address does not answer that method' },
  conflict: { status: 409, says: 'Somebody changed this in the meantime. Reload and try again' },
  other_tenancy: { status: 409, says: 'You now work in another tenancy than the one that this page shows. Reload the page' },
  too_large: { status: 413, says: 'The request is too large' },
  wrong_type: { status: 415, says: 'Send JSON' },
  too_many_requests: { status: 429, says: 'Too Many Requests' },
  unexpected: { status: 500, says: 'An unexpected error occurred' },
  audit_failed: { status: 503, says: 'Audit failed' },
  key_unavailable: { status: 503, says: 'The key of the authority is unavailable: {reason}' },
  database_away: { status: 503, says: 'The database cannot be reached. The server keeps trying, and its log says why' },
  unavailable: { status: 503, says: 'The service is starting or out of reach. Try again in a moment' },
} as const satisfies Record<string, FaultText>

export type CommonFault = keyof typeof commonFaults

/** The code of a field that wants an id and was sent none: in an address it means the same as one that nobody has. */
export const notAnId = 'notAnId'

/**
 * A field that is wrong, by its path in the input, and what is wrong with it in the person's words; how grave it is, where lint says so. `code` and
 * `params` are there where it is a refusal (refusal.ts), for whoever decides by it.
 */
export type FieldFault = {
  field: string
  says: string
  severity?: 'warn' | 'error' | 'fatal'
  code?: string
  params?: Record<string, string | number>
}

/** The body of every answer outside 200-299. `message` is the contract's text, for programs; the console uses its own. */
export type WireFault = {
  code: string
  message: string
  params?: Record<string, string | number>
  fields?: FieldFault[]
  reference?: string
}
