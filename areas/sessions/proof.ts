// Fresh proof of who one is (step-up): asked for before a change that takes protection from an account, so that a session left open, or one that was
// opened with a password alone, weakens no factor.

import { slot } from '#core/contract/slots.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { codeIsSet } from './codes.ts'
import { proofMilliseconds } from './rules.ts'
import { findSessionById, updateSession } from './server/store.ts'

type Account = { tenantId: string; userId: string }

/** Counts what a person could give besides the password. */
export type StrongFactors = (tenancy: Tenancy, userId: string) => Promise<number>
export const strongFactors = slot<StrongFactors>('sessions: factors of rooms above that are stronger than a password')

/** All of them, the sign-in code included: the last one cannot go. */
export async function countStrongFactors(house: House, db: Database, account: Account): Promise<number> {
  let count = (await codeIsSet(db, account.tenantId, account.userId)) ? 1 : 0
  for (const factors of house.offers(strongFactors))
    count += await factors({ db, tenantId: account.tenantId, now: house.now() }, account.userId)
  return count
}

/** Throws `proof_needed` unless the person proved within five minutes who they are, as strongly as they can. The transaction is set to `viewer.tenantId`, or at home. */
export const requireFreshProof = (house: House, db: Database, viewer: Viewer, now: Date, within = viewer.tenantId): Promise<void> =>
  requireProof(house, db, viewer, now, { within, besidesSignIn: false })

/** For the gravest changes: the sign-in itself does not count, so that whoever comes upon a session that was just opened is asked. */
export const requireProofBesidesSignIn = (house: House, db: Database, viewer: Viewer, now: Date): Promise<void> =>
  requireProof(house, db, viewer, now, { within: viewer.tenantId, besidesSignIn: true })

async function requireProof(
  house: House,
  db: Database,
  viewer: Viewer,
  now: Date,
  { within, besidesSignIn }: { within: string; besidesSignIn: boolean },
): Promise<void> {
  if (viewer.via !== 'session') throw commonFault('session_needed')
  const home = { tenantId: viewer.homeTenantId, userId: viewer.userId }
  const fresh = async () => {
    const session = await findSessionById(db, home.tenantId, viewer.credentialId)
    if (session.proved_at === null || (besidesSignIn && session.proved_at <= session.created_at)) return false
    const since = now.getTime() - session.proved_at.getTime()
    return since <= proofMilliseconds && (session.strong || (await countStrongFactors(house, db, home)) === 0)
  }
  if (!(await (within === home.tenantId ? fresh() : visitTenant(db, { home: within, tenantId: home.tenantId }, fresh))))
    throw commonFault('proof_needed')
}

/** Whether a password is all that can be asked of this session: it is strong already, or the person has nothing stronger. */
export async function passwordProves(house: House, db: Database, viewer: Viewer): Promise<boolean> {
  const home = { tenantId: viewer.homeTenantId, userId: viewer.userId }
  return (await findSessionById(db, home.tenantId, viewer.credentialId)).strong || (await countStrongFactors(house, db, home)) === 0
}

/** The session has been proved now; `strong` where it was by more than the password. */
export const noteProof = (db: Database, viewer: Viewer, now: Date, proof: { strong: boolean }): Promise<void> =>
  updateSession(db, viewer.homeTenantId, viewer.credentialId, { proved_at: now, ...(proof.strong ? { strong: true } : {}) })
