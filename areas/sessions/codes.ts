// The person's time-based code: offered with a QR, confirmed by the first code of it, then asked for at each sign-in.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { renderSVG } from 'uqr'
import { encodeBase32 } from '#standards/base32/base32.ts'
import { otpauthUri, TOTP_SECRET_BYTES, verifyTotp } from '#standards/totp/totp.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { tables } from './server/store.ts'

const issuer = 'Chancery'
const recoveryCodes = 10
// Letters and digits that nobody confuses on paper.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export type Enrolment = { issuer: string; accountName: string; secret: string; qr: string; recovery_codes: string[] }

const purpose = (tenantId: string, userId: string) => `code-secret:${tenantId}:${userId}`
const hashOf = (code: string) => createHash('sha256').update(code.toLowerCase().replace(/[^a-z0-9]/g, '')).digest('base64url')

/** Whether the person has confirmed a code, so that sign-in asks for one without a QR. */
export async function codeIsSet(db: Database, tenantId: string, userId: string): Promise<boolean> {
  const row = await tables(db).selectFrom('code_secrets').select('confirmed').where('tenant_id', '=', tenantId).where('user_id', '=', userId).executeTakeFirst()
  return row?.confirmed === true
}

/** Makes a new secret and new recovery codes and offers them; a confirmed secret and its recovery codes stay valid until a code of the new one is given. */
export async function offerCode(db: Database, house: House, person: { tenantId: string; id: string; username: string }): Promise<Enrolment> {
  const { tenantId, id: userId, username } = person
  const secret = randomBytes(TOTP_SECRET_BYTES)
  const sealed = house.installationKey.seal(secret, purpose(tenantId, userId))
  await tables(db)
    .insertInto('code_secrets')
    .values({ tenant_id: tenantId, user_id: userId, secret: sealed, confirmed: false, last_step: 0, offered: sealed })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ offered: sealed }))
    .execute()
  const codes = Array.from({ length: recoveryCodes }, () => Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')).join('-'))
  await tables(db).deleteFrom('recovery_codes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).where('offered', '=', true).execute()
  await tables(db)
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ tenant_id: tenantId, user_id: userId, code_hash: hashOf(code), offered: true })))
    .execute()
  const uri = otpauthUri({ issuer, accountName: username, secret })
  const qr = `data:image/svg+xml;base64,${Buffer.from(renderSVG(uri, { border: 2 })).toString('base64')}`
  return { issuer, accountName: username, secret: encodeBase32(secret), qr, recovery_codes: codes }
}

/** Accepts a code, of the offered secret first, or a recovery code, each once. The row lock makes two requests with one code one success. */
export async function acceptCode(db: Database, house: House, tenantId: string, userId: string, passcode: string, now: Date): Promise<'code' | 'enrolled' | 'recoveryCode' | undefined> {
  const row = await tables(db).selectFrom('code_secrets').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId).forUpdate().executeTakeFirst()
  if (row === undefined) return undefined
  const code = passcode.replace(/\s/g, '')
  const change = tables(db).updateTable('code_secrets').where('tenant_id', '=', tenantId).where('user_id', '=', userId)
  if (row.offered !== null) {
    const result = verifyTotp({ secret: house.installationKey.unseal(row.offered, purpose(tenantId, userId)), code, at: now })
    if (result.ok) {
      await change.set({ secret: row.offered, offered: null, confirmed: true, last_step: result.step }).execute()
      await takeOfferedRecoveryCodes(db, tenantId, userId)
      return 'enrolled'
    }
  }
  if (!row.confirmed) return undefined
  const result = verifyTotp({ secret: house.installationKey.unseal(row.secret, purpose(tenantId, userId)), code, at: now, lastUsedStep: row.last_step })
  if (result.ok) {
    await change.set({ last_step: result.step }).execute()
    return 'code'
  }
  const spent = await tables(db).deleteFrom('recovery_codes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).where('code_hash', '=', hashOf(code)).where('offered', '=', false).returning('code_hash').executeTakeFirst()
  return spent === undefined ? undefined : 'recoveryCode'
}

/** The offered recovery codes take the place of the ones before. Codes of an offer that an older release made stand as they are. */
async function takeOfferedRecoveryCodes(db: Database, tenantId: string, userId: string): Promise<void> {
  const offered = await tables(db).selectFrom('recovery_codes').select('code_hash').where('tenant_id', '=', tenantId).where('user_id', '=', userId).where('offered', '=', true).limit(1).executeTakeFirst()
  if (offered === undefined) return
  await tables(db).deleteFrom('recovery_codes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).where('offered', '=', false).execute()
  await tables(db).updateTable('recovery_codes').set({ offered: false }).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

export async function resetCode(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('code_secrets').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await tables(db).deleteFrom('recovery_codes').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}
