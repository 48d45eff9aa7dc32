// The person's time-based code: offered with a QR, confirmed by the first code of it, then asked for at each sign-in.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { renderSVG } from 'uqr'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { encodeBase32 } from '#standards/base32/base32.ts'
import { otpauthUri, TOTP_SECRET_BYTES, verifyTotp } from '#standards/totp/totp.ts'
import {
  findCodeSecret,
  holdCodeSecret,
  replaceOfferedRecoveryCodes,
  spendRecoveryCode,
  takeOfferedRecoveryCodes,
  updateCodeSecret,
  writeOffer,
} from './server/store.ts'

export { deleteCodes as resetCode, deleteOffer as voidOffer } from './server/store.ts'

const issuer = 'Chancery'
const recoveryCodes = 10
// Letters and digits that nobody confuses on paper.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export type Enrolment = { issuer: string; accountName: string; secret: string; qr: string; otpauth: string; recovery_codes: string[] }

const purpose = (tenantId: string, userId: string) => `code-secret:${tenantId}:${userId}`
const hashOf = (code: string) =>
  createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .digest('base64url')

/** Whether the person has confirmed a code, so that sign-in asks for one without a QR. */
export const codeIsSet = async (db: Database, tenantId: string, userId: string): Promise<boolean> =>
  (await findCodeSecret(db, tenantId, userId))?.confirmed === true

/** Makes a new secret and new recovery codes and offers them; a confirmed secret and its recovery codes stay valid until a code of the new one is given. */
export async function offerCode(
  db: Database,
  house: House,
  person: { tenantId: string; id: string; username: string },
): Promise<Enrolment> {
  const { tenantId, id: userId, username } = person
  const secret = randomBytes(TOTP_SECRET_BYTES)
  const sealed = house.installationKey.seal(secret, purpose(tenantId, userId))
  await writeOffer(db, tenantId, userId, sealed, house.now())
  const codes = Array.from({ length: recoveryCodes }, () =>
    Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')).join('-'),
  )
  await replaceOfferedRecoveryCodes(db, tenantId, userId, codes.map(hashOf))
  const uri = otpauthUri({ issuer, accountName: username, secret })
  const qr = `data:image/svg+xml;base64,${Buffer.from(renderSVG(uri, { border: 2 })).toString('base64')}`
  return { issuer, accountName: username, secret: encodeBase32(secret), qr, otpauth: uri, recovery_codes: codes }
}

/** As long as it takes to find the telephone and scan: whoever leaves it open offers it to whoever comes by. */
const offerStands = 15 * 60_000

/** Accepts a code, of the offered secret first, or a recovery code, each once. The row lock makes two requests with one code one success. */
export async function acceptCode(
  db: Database,
  house: House,
  tenantId: string,
  userId: string,
  passcode: string,
  now: Date,
): Promise<'code' | 'enrolled' | 'recoveryCode' | undefined> {
  const row = await holdCodeSecret(db, tenantId, userId)
  if (row === undefined) return undefined
  const code = passcode.replace(/\s/g, '')
  if (row.offered !== null && row.offered_at !== null && now.getTime() - row.offered_at.getTime() <= offerStands) {
    const result = verifyTotp({ secret: house.installationKey.unseal(row.offered, purpose(tenantId, userId)), code, at: now })
    if (result.ok) {
      await updateCodeSecret(db, tenantId, userId, {
        secret: row.offered,
        offered: null,
        offered_at: null,
        confirmed: true,
        last_step: result.step,
      })
      await takeOfferedRecoveryCodes(db, tenantId, userId)
      return 'enrolled'
    }
  }
  if (!row.confirmed) return undefined
  const result = verifyTotp({
    secret: house.installationKey.unseal(row.secret, purpose(tenantId, userId)),
    code,
    at: now,
    lastUsedStep: row.last_step,
  })
  if (result.ok) {
    await updateCodeSecret(db, tenantId, userId, { last_step: result.step })
    return 'code'
  }
  return (await spendRecoveryCode(db, tenantId, userId, hashOf(code))) ? 'recoveryCode' : undefined
}
