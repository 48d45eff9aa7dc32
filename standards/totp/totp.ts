// One-time codes of RFC 4226 (HOTP) and RFC 6238 (TOTP). A code names the 30-second step it belongs to; whoever checks
// a code stores the step it matched and hands it back the next time, so that a code that was seen once, over a shoulder
// or on the wire, never works again (RFC 6238 section 5.2).
import { createHmac, timingSafeEqual } from 'node:crypto'
import { encodeBase32 } from '../base32/base32.ts'

export type HotpAlgorithm = 'sha1' | 'sha256' | 'sha512'

export interface HotpOptions {
  /** 6 to 8; RFC 4226 section 5.3 asks for at least 6 */
  digits?: number
  algorithm?: HotpAlgorithm
}

export interface TotpOptions extends HotpOptions {
  stepSeconds?: number
}

export interface TotpAttempt extends TotpOptions {
  secret: Uint8Array
  /** what the person typed */
  code: string
  at: Date
  /** the step of the last code accepted for this secret; it and all before it are spent */
  lastUsedStep?: number | undefined
}

export type TotpResult = { ok: true; step: number } | { ok: false }

export const TOTP_STEP_SECONDS = 30
/** RFC 4226 section 4 R6 recommends 160 bits. */
export const TOTP_SECRET_BYTES = 20

/** RFC 4226 section 5.3. `counter` is a whole number from 0; throws RangeError for anything else. */
export function hotp(secret: Uint8Array, counter: number, { digits = 6, algorithm = 'sha1' }: HotpOptions = {}): string {
  if (!Number.isSafeInteger(counter) || counter < 0) throw new RangeError('The HOTP counter must be a whole number from 0')
  if (!Number.isInteger(digits) || digits < 6 || digits > 8) throw new RangeError('A code has 6 to 8 digits')
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const digest = createHmac(algorithm, secret).update(message).digest()
  const offset = digest.readUInt8(digest.length - 1) & 15
  const truncated = digest.readUInt32BE(offset) & 0x7fffffff
  return String(truncated % 10 ** digits).padStart(digits, '0')
}

/** The step that a moment lies in (RFC 6238 section 4.2, T0 = 0). */
export function totpStep(at: Date, stepSeconds: number = TOTP_STEP_SECONDS): number {
  return Math.floor(at.getTime() / 1000 / stepSeconds)
}

export function totp(secret: Uint8Array, at: Date, { stepSeconds = TOTP_STEP_SECONDS, ...options }: TotpOptions = {}): string {
  return hotp(secret, totpStep(at, stepSeconds), options)
}

/**
 * Accepts the code of the present step and of the one on either side, and never a step that is not after `lastUsedStep`.
 * All three are always computed and compared in constant time, so that time does not tell which one was near.
 */
export function verifyTotp(attempt: TotpAttempt): TotpResult {
  const { secret, code, at, lastUsedStep = -1, stepSeconds = TOTP_STEP_SECONDS, digits = 6, algorithm = 'sha1' } = attempt
  // timingSafeEqual wants equal lengths; a malformed code is compared as zero bytes, which no code is.
  const typed = Buffer.alloc(digits)
  const wellFormed = new RegExp(`^[0-9]{${digits}}$`).test(code)
  if (wellFormed) typed.write(code, 'latin1')
  const present = totpStep(at, stepSeconds)
  let matched: number | undefined
  for (const step of [present - 1, present, present + 1]) {
    const expected = hotp(secret, Math.max(step, 0), { digits, algorithm })
    const equal = timingSafeEqual(Buffer.from(expected, 'latin1'), typed)
    if (equal && wellFormed && step >= 0 && step > lastUsedStep) matched ??= step
  }
  return matched === undefined ? { ok: false } : { ok: true, step: matched }
}

export interface OtpauthAccount extends TotpOptions {
  issuer: string
  accountName: string
  secret: Uint8Array
}

/**
 * The address in the QR code (Key URI Format). The issuer stands in the label and in the query, as apps differ in which
 * one they show; a colon would end the issuer early, so it is refused there.
 */
export function otpauthUri({
  issuer,
  accountName,
  secret,
  digits = 6,
  algorithm = 'sha1',
  stepSeconds = TOTP_STEP_SECONDS,
}: OtpauthAccount): string {
  if (issuer.includes(':')) throw new RangeError('The issuer of a one-time code must not contain a colon')
  // Not URLSearchParams: it writes a space as '+', which several apps show as '+'.
  const query = [
    ['secret', encodeBase32(secret)],
    ['issuer', issuer],
    ['algorithm', algorithm.toUpperCase()],
    ['digits', String(digits)],
    ['period', String(stepSeconds)],
  ].map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(accountName)}?${query.join('&')}`
}
