// Judges what a passkey signed, for a sign-in and for a proof: before the transaction the signature, in it everything that another answer could change.

import type { House } from '#core/server/house.ts'
import type { RequestFacts } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { judgeAssertion, type Asserted, type AssertionJson } from '#standards/webauthn/ceremony.ts'
import { WebauthnError } from '#standards/webauthn/refusal.ts'
import { challengeMilliseconds, judgeCounter } from '../rules.ts'
import { challengeHash, challengeStands, type ChallengeUse } from './challenges.ts'
import type { Handle } from './handle.ts'
import { findModel } from './policy-store.ts'
import { policyOf, refusedFor } from './present.ts'
import { sitesOf } from './site.ts'
import { findCredential, insertSpent, lockCredential, updatePasskey, type FoundPasskey } from './store.ts'

type Asking = { house: House; request: RequestFacts; now: Date }

/** The row of the credential, where it is that person's. */
export async function findOwn(house: House, { tenantId, userId }: Handle, credentialId: string): Promise<FoundPasskey | undefined> {
  const row = await withTenancy(house, tenantId, (tenancy) => findCredential(tenancy, credentialId))
  return row?.user_id === userId ? row : undefined
}

/** The reason where it does not hold. */
export async function judgeSigned(
  { house, request, now }: Asking,
  row: FoundPasskey,
  json: AssertionJson,
  about: ChallengeUse,
): Promise<{ asserted: Asserted } | { reason: string }> {
  try {
    const asserted = await judgeAssertion(json, row.public_key, {
      challenge: (signed) => challengeStands(house, signed, about, now),
      sites: sitesOf(house, request),
    })
    if (asserted.rpId !== row.rp_id) return { reason: 'rpId' }
    // Whether a key can be synced is settled when it is made; one that says otherwise is another key, or a broken one.
    if (asserted.backupEligible !== row.backup_eligible) return { reason: 'backupEligible' }
    return { asserted }
  } catch (error) {
    if (error instanceof WebauthnError) return { reason: error.code }
    throw error
  }
}

export type Accepted =
  | { outcome: 'good'; row: FoundPasskey; backedUp: boolean | undefined; counterFell: boolean }
  | { outcome: 'copied'; row: FoundPasskey }
  | { outcome: 'refused'; reason: string }

/** In the transaction that gives something for it: the row as it stands now, the policy, the challenge used up, the counter. */
export async function acceptSigned(tenancy: Tenancy, json: AssertionJson, asserted: Asserted): Promise<Accepted> {
  const row = await lockCredential(tenancy, json.id)
  if (row === undefined) return { outcome: 'refused', reason: 'removed' }
  if (row.blocked_at !== null) return { outcome: 'refused', reason: 'blocked' }
  if (!(await insertSpent(tenancy.db, challengeHash(asserted.challenge), new Date(tenancy.now.getTime() + challengeMilliseconds))))
    return { outcome: 'refused', reason: 'used' }
  const refused = refusedFor(await policyOf(tenancy), row, await findModel(tenancy, row.aaguid))
  if (refused !== undefined) return { outcome: 'refused', reason: 'policy' }
  const counter = Number(row.counter)
  const judged = judgeCounter(asserted.counter, { counter, backupEligible: row.backup_eligible })
  if (judged === 'copied') {
    await updatePasskey(tenancy, row.id, { blocked_at: tenancy.now })
    return { outcome: 'copied', row }
  }
  await updatePasskey(tenancy, row.id, {
    counter: Math.max(counter, asserted.counter),
    backed_up: asserted.backedUp,
    last_used_at: tenancy.now,
  })
  return {
    outcome: 'good',
    row,
    backedUp: asserted.backedUp === row.backed_up ? undefined : asserted.backedUp,
    counterFell: judged === 'signal',
  }
}
