// What both sides know of sign-in by certificate.

/** Where a browser shows its certificate: on the own listener, or on the proxy that passes it on. */
export const presentPath = '/certificate-sign-in'
export const attemptMilliseconds = 5 * 60_000

/**
 * How a certificate leads to a person. The authority and the serial number find our own record and with it the holder; the other two ask besides that the
 * certificate names this holder: by the user principal name, or by the security identifier of a Windows account.
 */
export const mappings = ['serial', 'upn', 'sid'] as const
export type Mapping = (typeof mappings)[number]

/** Why a sign-in is refused. The person reads none of them. */
export const refusals = {
  state: 'The sign-in was not begun here, was used before, or took longer than five minutes',
  binding: 'It came back with another browser than the one that began, or that showed the certificate',
  none: 'The browser showed no certificate',
  unknown: 'No authority that signs in here has issued this certificate',
  off: 'Certificate sign-in is switched off, or not allowed for this authority',
  authority: 'The authority is revoked, or its certificate is not valid now',
  validity: 'The certificate is not valid now',
  revoked: 'The certificate is revoked or on hold',
  purpose: 'The certificate is not for signing in: it lacks client authentication and smartcard logon',
  holder: 'The certificate belongs to no person',
  mapping: 'The name in the certificate is not that of its holder',
  disabled: 'The account is disabled or not activated',
} as const
export type RefusalReason = keyof typeof refusals
export const refusalReasons = Object.keys(refusals) as [RefusalReason, ...RefusalReason[]]
