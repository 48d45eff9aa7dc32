// The accounts that a newcomer may use: each with a random password and a code that is enrolled already. They are shown once.

import { randomInt } from 'node:crypto'
import { acceptCode, offerCode } from '#areas/sessions/codes.ts'
import { hashPassword, storeHash } from '#areas/users/passwords.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { otpauthUri, totp } from '#standards/totp/totp.ts'
import type { FoundTenancy, Member } from './found.ts'
import { membersOf } from './plan.ts'

export type Login = { who: string; tenancy: string; username: string; password: string; codeSecret: string; otpauth: string }

// Letters and digits that nobody confuses when they type them off a terminal: 80 bits in four groups of four.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const newPassword = () =>
  Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')).join('-')

/** An administrator each of the first and the second tenancy; who requests and who approves in the second. */
export async function openLogins(house: House, [management, second]: readonly FoundTenancy[]): Promise<Login[]> {
  if (management === undefined || second === undefined) throw new RangeError('The demonstration has two tenancies at least')
  const shown: { who: string; tenancy: FoundTenancy; member: Member | undefined }[] = [
    { who: 'Administrator of all', tenancy: management, member: membersOf(management, 'administrator')[0] },
    { who: 'Administrator', tenancy: second, member: membersOf(second, 'administrator')[0] },
    { who: 'Approves', tenancy: second, member: membersOf(second, 'certificateOfficer')[0] },
    { who: 'Requests', tenancy: second, member: membersOf(second, 'requester')[0] },
  ]
  const logins: Login[] = []
  for (const { who, tenancy, member } of shown) {
    if (member !== undefined) logins.push({ who, tenancy: tenancy.plan.name, ...(await openLogin(house, member)) })
  }
  return logins
}

async function openLogin(house: House, member: Member): Promise<Omit<Login, 'who' | 'tenancy'>> {
  const { tenantId, id, username } = member
  const password = newPassword()
  const hash = await hashPassword(house, password)
  // A code of a while ago confirms the secret, so that the first sign-in can use the one of now.
  const then = new Date(house.now().getTime() - 600_000)
  return inTenant(house.database, tenantId, async (db) => {
    await storeHash(db, tenantId, id, hash, house.now())
    const { secret: codeSecret, issuer } = await offerCode(db, house, member)
    const secret = decodeBase32(codeSecret)
    if ((await acceptCode(db, house, tenantId, id, totp(secret, then), then)) !== 'enrolled')
      throw new Error(`The code of ${username} was not accepted`)
    return { username, password, codeSecret, otpauth: otpauthUri({ issuer, accountName: username, secret }) }
  })
}
