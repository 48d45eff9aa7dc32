// The app on a person's telephone: shows one-time codes, and never the same one twice, as the server refuses a code that it has seen.

import { setTimeout as wait } from 'node:timers/promises'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { hotp, TOTP_STEP_SECONDS, totpStep } from '#standards/totp/totp.ts'

export type Authenticator = { nextCode(): Promise<string> }

export function authenticator(secret: string): Authenticator {
  const key = decodeBase32(secret.replace(/\s/g, ''))
  let last = -1
  return {
    async nextCode() {
      const now = Date.now()
      const present = totpStep(new Date(now))
      const secondsIn = (now / 1000) % TOTP_STEP_SECONDS
      // The server takes the step before and the one after as well. The one before leaves room for more codes within the minute.
      const earliest = secondsIn < TOTP_STEP_SECONDS - 10 ? present - 1 : present
      const step = Math.max(earliest, last + 1)
      if (step > present + 1) await wait((step - 1) * TOTP_STEP_SECONDS * 1000 - now + 200)
      last = step
      return hotp(key, step)
    },
  }
}
