// What of a person's passkeys leaves the server.

import { fullName, type Person } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import type { RequestFacts } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { policyFault, type Policy } from '../rules.ts'
import { writeHandle } from './handle.ts'
import { findPolicy, listModels, type ModelRecord } from './policy-store.ts'
import { hostOf } from './site.ts'
import { listPasskeys, type FoundPasskey } from './store.ts'

export async function policyOf(tenancy: Tenancy): Promise<{ deviceBound: boolean; models: string[]; version: number }> {
  const row = await findPolicy(tenancy)
  return row === undefined
    ? { deviceBound: false, models: [], version: 0 }
    : { deviceBound: row.device_bound, models: row.models, version: row.version }
}

export const refusedFor = (policy: Policy, row: FoundPasskey, model: Pick<ModelRecord, 'compromised'> | undefined) =>
  policyFault(policy, {
    backupEligible: row.backup_eligible,
    aaguid: row.aaguid,
    attestation: row.attestation,
    compromised: model?.compromised === true,
  })

type Asking = { house: House; request: RequestFacts; viewerId: string }

export async function presentPasskeys(tenancy: Tenancy, person: Person, { house, request, viewerId }: Asking) {
  const rows = await listPasskeys(tenancy, person.id)
  const policy = await policyOf(tenancy)
  const models = new Map((rows.length === 0 ? [] : await listModels(tenancy)).map((model) => [model.aaguid, model]))
  const host = hostOf(house, request)
  return {
    registeredCredentials: rows.map((row) => {
      const model = models.get(row.aaguid)
      const refused = refusedFor(policy, row, model)
      return {
        id: row.id,
        customName: row.custom_name,
        credentialId: row.credential_id,
        createdAt: row.created_at.toISOString(),
        ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
        synced: row.backup_eligible,
        ...(model === undefined ? {} : { model: model.name, icon: model.icon }),
        proved: row.attestation === 'verified',
        aaguid: row.aaguid,
        host: row.rp_id,
        worksHere: row.rp_id === host,
        blocked: row.blocked_at !== null,
        ...(refused === undefined ? {} : { refusedFor: refused }),
      }
    }),
    displayName: fullName(person),
    username: person.username,
    ...(person.id === viewerId ? { userHandle: writeHandle({ tenantId: tenancy.tenantId, userId: person.id }) } : {}),
  }
}

/** How many of a person's passkeys sign in: neither blocked nor refused by the policy. */
export async function countUsable(tenancy: Tenancy, userId: string, but?: string): Promise<number> {
  const rows = await listPasskeys(tenancy, userId)
  if (rows.length === 0) return 0
  const policy = await policyOf(tenancy)
  const models = new Map((await listModels(tenancy)).map((model) => [model.aaguid, model]))
  return rows.filter((row) => row.id !== but && row.blocked_at === null && refusedFor(policy, row, models.get(row.aaguid)) === undefined)
    .length
}
