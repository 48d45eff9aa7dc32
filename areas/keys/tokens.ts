// What people are told of tokens: why one is unavailable, and whether that passes by itself.

export const unavailableReasons = {
  tokenAbsent: 'the token is not there',
  pinRefused: 'the token refused its PIN',
  pinLocked: 'the PIN of the token is locked',
  pinFinalTry: 'a wrong PIN would lock the token now, so it is not tried',
  sessionLost: 'the connection to the token was lost',
  moduleMissing: 'the PKCS#11 module cannot be loaded',
  moduleFailed: 'the PKCS#11 module crashed',
  noAnswer: 'the token does not answer',
  keyAbsent: 'the key is not on the token',
  tokenRefused: 'the token refused to sign',
} as const

export type UnavailableReason = keyof typeof unavailableReasons
export const unavailableReasonNames = Object.keys(unavailableReasons) as UnavailableReason[]

const blocking = new Set<UnavailableReason>(['pinRefused', 'pinLocked', 'pinFinalTry'])

/** Nothing is tried again before somebody gives the PIN: tokens lock after a few wrong ones. */
export const isBlocking = (reason: UnavailableReason): boolean => blocking.has(reason)

/** `unchecked`: registered, or given another PIN, and not yet asked for anything. */
export const tokenStates = ['available', 'unchecked', ...unavailableReasonNames] as const
export type TokenState = (typeof tokenStates)[number]

export const isUnavailable = (state: TokenState): state is UnavailableReason => state !== 'available' && state !== 'unchecked'
