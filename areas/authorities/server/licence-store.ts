// The two sides of an authority's licence. The owner's row says whether it holds; the licensee's says only where to ask, and stays when the
// licence is taken back, so that the certificates issued under it keep their chain.

import { visitTenant, type Database } from '#core/server/database.ts'
import type { LicenceTerm } from '../rules.ts'
import { whatIsRevoked, type IssuingRow } from './issuer-store.ts'
import { tables } from './store.ts'

export type AuthorityLicence = { tenantId: string; caId: string; licenseeId: string; term: LicenceTerm; now: Date }

/** Grants the licence, for a time or for good, or takes it back, on both sides in the one open transaction, whose tenant is the owner. */
export async function putAuthorityLicence(db: Database, { tenantId, caId, licenseeId, term, now }: AuthorityLicence): Promise<void> {
  const said = { enabled: term.enabled, from_day: term.from ?? null, until_day: term.until ?? null, changed_at: now }
  await tables(db)
    .insertInto('authority_licences')
    .values({ tenant_id: tenantId, ca_id: caId, licensee_id: licenseeId, ...said })
    .onConflict((met) => met.columns(['tenant_id', 'ca_id', 'licensee_id']).doUpdateSet(said))
    .execute()
  if (!term.enabled) return
  await visitTenant(db, { home: tenantId, tenantId: licenseeId }, async () => {
    await tables(db)
      .insertInto('licensed_authorities')
      .values({ tenant_id: licenseeId, ca_id: caId, owner_id: tenantId, licensed_at: now })
      .onConflict((met) => met.columns(['tenant_id', 'ca_id']).doNothing())
      .execute()
  })
}

export type GivenLicence = { caId: string; tenantId: string; term: LicenceTerm }

/** All licences that a tenancy has given, those taken back and those that have ended among them. */
export async function licencesGiven(db: Database, tenantId: string, licenseeId?: string): Promise<GivenLicence[]> {
  const rows = await tables(db)
    .selectFrom('authority_licences')
    .select(['ca_id', 'licensee_id', 'enabled', 'from_day', 'until_day'])
    .where('tenant_id', '=', tenantId)
    .$if(licenseeId !== undefined, (query) => query.where('licensee_id', '=', licenseeId ?? ''))
    .execute()
  return rows.map(({ ca_id, licensee_id, enabled, from_day, until_day }) => ({
    caId: ca_id,
    tenantId: licensee_id,
    term: { enabled, from: from_day ?? undefined, until: until_day ?? undefined },
  }))
}

export type LicensedRow = { row: IssuingRow; term: LicenceTerm }

/** The authorities that others have licensed to this tenancy, each as its owner has it. All of them, or the one of that id. */
export async function licensedRows(db: Database, tenantId: string, caId?: string): Promise<LicensedRow[]> {
  const leads = await tables(db)
    .selectFrom('licensed_authorities')
    .select(['ca_id', 'owner_id'])
    .where('tenant_id', '=', tenantId)
    .$if(caId !== undefined, (query) => query.where('ca_id', '=', caId ?? ''))
    .execute()
  const found: LicensedRow[] = []
  for (const [ownerId, those] of Map.groupBy(leads, ({ owner_id }) => owner_id)) {
    const rows = await visitTenant(db, { home: tenantId, tenantId: ownerId }, () =>
      tables(db)
        .selectFrom('authority_licences as licence')
        .innerJoin('authorities', (join) =>
          join.onRef('authorities.tenant_id', '=', 'licence.tenant_id').onRef('authorities.id', '=', 'licence.ca_id'),
        )
        .selectAll('authorities')
        .select(['licence.enabled as licence_enabled', 'licence.from_day', 'licence.until_day', ...whatIsRevoked])
        .where('licence.tenant_id', '=', ownerId)
        .where('licence.licensee_id', '=', tenantId)
        .where(
          'licence.ca_id',
          'in',
          those.map(({ ca_id }) => ca_id),
        )
        .orderBy('friendly_name')
        .execute(),
    )
    for (const { licence_enabled: enabled, from_day, until_day, ...row } of rows)
      found.push({ row, term: { enabled, from: from_day ?? undefined, until: until_day ?? undefined } })
  }
  return found
}
