// Why nothing came of it, in a sentence for the person who wrote the address. A refused connection and a silent one are told alike, because the difference
// would map a network for somebody who cannot see it.

import { fillText } from '../fault.ts'

export const reasons = {
  url: 'Enter a complete address that begins with {schemes}',
  userinfo: 'Leave the name and the password out of the address',
  port: 'Port {port} cannot be used here. Use {ports}',
  address: 'This address cannot be reached from here',
  name: 'The name {host} cannot be found',
  nameServer: 'The name servers gave no answer about {host}',
  targets: 'Too many new addresses in an hour. Try again later',
  unanswered: '{host} gave no answer',
  tooSlow: '{host} took longer than {seconds} seconds',
  cancelled: 'The connection to {host} was given up',
  certificate: 'The certificate of {host} was not accepted: {why}',
  redirect: '{host} sends on to another address, and that is not followed here',
  tooLarge: 'The answer of {host} is longer than {bytes} bytes',
  malformed: 'The answer of {host} cannot be read',
  header: 'The header {name} cannot be sent like this',
} as const

export type Reason = keyof typeof reasons

/** Nothing came of an outgoing connection. `message` is for the person; `cause` is for the log. */
export class OutwardError extends Error {
  override name = 'OutwardError'
  readonly reason: Reason
  constructor(reason: Reason, params: Record<string, string | number> = {}, options?: ErrorOptions) {
    super(fillText(reasons[reason], params), options)
    this.reason = reason
  }
}

/** OpenSSL's names for what is wrong with a certificate. */
const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  CERT_REVOKED: 'it is revoked',
  INVALID_PURPOSE: 'it is not for servers',
  CERT_UNTRUSTED: 'its root is not trusted',
}

/** Turns what a socket, a parser or OpenSSL threw into a reason. */
export function outwardError(error: unknown, host: string, { signal, seconds }: { signal: AbortSignal; seconds: number }): OutwardError {
  if (error instanceof OutwardError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const cause = { cause: error }
  if (signal.aborted)
    return signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
      ? new OutwardError('tooSlow', { host, seconds }, cause)
      : new OutwardError('cancelled', { host }, cause)
  const why = certificateFaults[code]
  if (why !== undefined) return new OutwardError('certificate', { host, why }, cause)
  if (/^(HPE_|Z_|ERR_HTTP|ERR_BUFFER_TOO|ERR__ERROR_FORMAT)/.test(code)) return new OutwardError('malformed', { host }, cause)
  return new OutwardError('unanswered', { host }, cause)
}
