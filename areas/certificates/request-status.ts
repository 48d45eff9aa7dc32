// How far a request is, as the specification says it. Apart from the rules, so that who only shows it loads these words alone.

export const requestStatuses = ['incomplete', 'error', 'denied', 'issued', 'issued_out_of_band', 'under_submission', 'revoked'] as const
export type RequestStatus = (typeof requestStatuses)[number]

export const requestStatusLabels: Record<RequestStatus, string> = {
  incomplete: 'Ready to collect',
  error: 'Failed',
  denied: 'Denied',
  issued: 'Issued',
  issued_out_of_band: 'Issued elsewhere',
  under_submission: 'Waiting',
  revoked: 'Revoked',
}
