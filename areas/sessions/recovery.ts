// For those who are locked out: for who has the machine, every way in is made void and a new activation link takes their place; after a password was reset by
// mail, whatever the old one opened ends.

import { linkTo } from '#areas/mail/service.ts'
import { makeAdministrator } from '#areas/roles/service.ts'
import { activationPath } from '#areas/users/activation-path.ts'
import { findUsername, makeActivation, reopenAccount } from '#areas/users/service.ts'
import { fillPath } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { resetCode, voidOffer } from './codes.ts'
import { sessions } from './contract.ts'
import { endAccessOf } from './server/store.ts'

export async function reopenFor(house: House, username: string): Promise<{ username: string; activationLink: string; expiresAt: string }> {
  const found = await findUsername(house.database, username)
  if (found === undefined) throw new Error(`There is no user ${username}.`)
  const { tenantId, userId } = found
  return house.work(tenantId, { name: 'terminal' }, async ({ db, tenancy, emitFor }) => {
    await resetCode(db, tenantId, userId)
    await endAccessOf(db, tenantId, userId)
    await makeAdministrator(db, tenantId, userId)
    await reopenAccount(db, tenantId, userId)
    const { token, expiresAt } = await makeActivation(house, tenancy, userId)
    emitFor(sessions)('codeReset', { userId }, userId)
    return { username, activationLink: linkTo(house, fillPath(activationPath, { token })), expiresAt: expiresAt.toISOString() }
  })
}

/** Sessions, API tokens and an offered code end with what opened them. A code that is set up stays. Answers how many sessions and tokens ended. */
export async function endAllAccess(db: Database, tenantId: string, userId: string): Promise<number> {
  await voidOffer(db, tenantId, userId)
  return endAccessOf(db, tenantId, userId)
}
