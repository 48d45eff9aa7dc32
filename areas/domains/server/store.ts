// The domains that a tenancy claims, those that are proved in the installation, and every question that is asked of them.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { DomainState, Problem, Proof } from '../rules.ts'

export type Seen = { way: 'dns' | 'https' | 'http'; problem: Problem; detail: string }

export type DomainRecord = {
  tenant_id: string
  id: string
  name: string
  token: string
  state: DomainState
  proof: Proof | null
  proved_at: Date | null
  checked_at: Date | null
  next_check_at: Date
  failures: number
  includes_subdomains: boolean
  seen: Seen[]
  added_at: Date
  version: number
}

type ProofRecord = { name: string; tenant_id: string; domain_id: string; includes_subdomains: boolean }

type DomainTables = { tenancy_domains: DomainRecord; proved_domains: ProofRecord }

const tables = (db: Database) => db.withTables<DomainTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

const ofTenancy = ({ db, tenantId }: Own) => tables(db).selectFrom('tenancy_domains').where('tenant_id', '=', tenantId)

export type Question = {
  page: number
  size: number
  text: string
  sort?: 'name' | 'addedAt' | undefined
  direction: 'asc' | 'desc'
  state?: DomainState | undefined
}

export const pageOfDomains = (tenancy: Own, { page, size, text, sort = 'name', direction, state }: Question) =>
  readPage(
    ofTenancy(tenancy)
      .$if(text.trim() !== '', (query) =>
        query.where((all) => all.eb(all.fn<number>('strpos', ['name', all.val(text.trim().toLowerCase())]), '>', 0)),
      )
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'claimed')),
    { page, size },
    (all) =>
      all
        .selectAll()
        .orderBy(sort === 'name' ? 'name' : 'added_at', direction)
        .orderBy('id'),
  )

export const findDomain = (tenancy: Own, id: string): Promise<DomainRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).executeTakeFirst()

export const findDomains = (tenancy: Own, ids: readonly string[]): Promise<DomainRecord[]> =>
  ofTenancy(tenancy)
    .selectAll()
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()

export const listNames = async (tenancy: Own): Promise<string[]> =>
  (await ofTenancy(tenancy).select('name').orderBy('name').execute()).map(({ name }) => name)

export const lockDomain = (tenancy: Own, id: string): Promise<DomainRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const listDue = ({ now, ...tenancy }: Tenancy, most: number): Promise<DomainRecord[]> =>
  ofTenancy(tenancy).selectAll().where('next_check_at', '<=', now).orderBy('next_check_at').limit(most).execute()

/** Throws where the tenancy has the domain already: the constraint `tenancy_domains_by_name`. */
export const insertDomain = async (
  { db, tenantId, now }: Tenancy,
  { id, name, token, next_check_at }: Pick<DomainRecord, 'id' | 'name' | 'token' | 'next_check_at'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('tenancy_domains')
    .values({
      tenant_id: tenantId,
      id,
      name,
      token,
      state: 'claimed',
      proof: null,
      proved_at: null,
      checked_at: null,
      next_check_at,
      failures: 0,
      includes_subdomains: false,
      seen: sql`'[]'::jsonb`,
      added_at: now,
      version: 1,
    })
    .execute())

export const updateDomain = async (
  { db, tenantId }: Own,
  id: string,
  { seen, ...values }: Partial<Omit<DomainRecord, 'tenant_id' | 'id' | 'name' | 'token' | 'added_at' | 'version'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('tenancy_domains')
    .set((all) => ({
      ...values,
      ...(seen === undefined ? {} : { seen: sql<Seen[]>`${JSON.stringify(seen)}::jsonb` }),
      version: all('version', '+', 1),
    }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteDomain = async ({ db, tenantId }: Own, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('tenancy_domains').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const findProofs = async (db: Database, names: readonly string[]): Promise<ProofRecord[]> =>
  tables(db)
    .selectFrom('proved_domains')
    .selectAll()
    .where('name', '=', sql<string>`any(${[...names]}::text[])`)
    .execute()

export const listProvedNames = async (db: Database, tenantId: string): Promise<string[]> =>
  (await tables(db).selectFrom('proved_domains').select('name').where('tenant_id', '=', tenantId).orderBy('name').execute()).map(
    ({ name }) => name,
  )

/** Answers whose proof holds the name, where it is another tenancy's; undefined where the proof is written. */
export async function insertProof(db: Database, proof: ProofRecord): Promise<ProofRecord | undefined> {
  const written = await tables(db)
    .insertInto('proved_domains')
    .values(proof)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ includes_subdomains: proof.includes_subdomains })
        .where('proved_domains.domain_id', '=', proof.domain_id),
    )
    .returning('name')
    .executeTakeFirst()
  return written === undefined ? (await findProofs(db, [proof.name]))[0] : undefined
}

export const deleteProof = async (db: Database, domainId: string): Promise<void> =>
  void (await tables(db).deleteFrom('proved_domains').where('domain_id', '=', domainId).execute())
