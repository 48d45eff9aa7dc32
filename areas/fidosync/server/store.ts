// The tables of the provider and its credentials, and every question that is asked of them.

import { sql, type Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CredentialState } from '../rules.ts'

export type ProviderRecord = {
  tenant_id: string
  directory_id: string
  client_id: string
  secret_sealed: Buffer
  tenant_key_id: string
  login_url: string
  graph_url: string
  enabled: boolean
  version: number
  run_began_at: Date | null
  run_link: string
  run_people: number
  last_sync_at: Date | null
  people: number
  trouble: string
  wait_until: Date | null
}

export type CredentialRecord = {
  tenant_id: string
  id: string
  credential_id: string
  provider_user_id: string
  account: string
  user_id: string | null
  provider_name: string
  custom_name: string
  model: string
  aaguid: string
  attestation: string
  created_at: Date | null
  seen_at: Date
  state: CredentialState
  marked_at: Date | null
  marked_by: string
  trouble: string
  try_at: Date | null
  tries: number
  left_at: Date | null
}

type FidoTables = {
  fido_providers: Omit<ProviderRecord, 'version' | 'run_link' | 'run_people' | 'people' | 'trouble'> & {
    version: Generated<number>
    run_link: Generated<string>
    run_people: Generated<number>
    people: Generated<number>
    trouble: Generated<string>
  }
  synced_fido_credentials: Omit<CredentialRecord, 'tries'> & { tries: Generated<number> }
}

const tables = (db: Database) => db.withTables<FidoTables>()

export const findProvider = ({ db, tenantId }: Tenancy): Promise<ProviderRecord | undefined> =>
  tables(db).selectFrom('fido_providers').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

export const lockProvider = ({ db, tenantId }: Tenancy): Promise<ProviderRecord | undefined> =>
  tables(db).selectFrom('fido_providers').selectAll().where('tenant_id', '=', tenantId).forUpdate().executeTakeFirst()

export type ProviderText = Pick<
  ProviderRecord,
  'directory_id' | 'client_id' | 'secret_sealed' | 'tenant_key_id' | 'login_url' | 'graph_url' | 'enabled'
>
const nothingRunning = { run_began_at: null, run_link: '', run_people: 0, trouble: '', wait_until: null } as const

/** A change begins everything anew: what ran belonged to the provider before. */
export const putProvider = async ({ db, tenantId }: Tenancy, text: ProviderText): Promise<void> =>
  void (await tables(db)
    .insertInto('fido_providers')
    .values({ tenant_id: tenantId, ...text, ...nothingRunning, last_sync_at: null })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet((all) => ({ ...text, ...nothingRunning, version: all('fido_providers.version', '+', 1) })),
    )
    .execute())

export type ProviderState = Partial<
  Pick<ProviderRecord, 'run_began_at' | 'run_link' | 'run_people' | 'last_sync_at' | 'people' | 'trouble' | 'wait_until'>
>

/** False where the provider was changed meanwhile. */
export async function updateProvider({ db, tenantId }: Tenancy, version: number, state: ProviderState): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('fido_providers')
    .set(state)
    .where('tenant_id', '=', tenantId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

const columns = { account: 'account', createdAt: 'created_at', seenAt: 'seen_at' } as const
export type Question = {
  page: number
  size: number
  text: string
  sort?: keyof typeof columns | undefined
  direction: 'asc' | 'desc'
  state: readonly CredentialState[]
  unknown?: boolean | undefined
}

const matching = ({ db, tenantId }: Tenancy, { text, state, unknown }: Pick<Question, 'text' | 'state' | 'unknown'>) =>
  tables(db)
    .selectFrom('synced_fido_credentials')
    .where('tenant_id', '=', tenantId)
    .$if(state.length > 0, (query) => query.where('state', 'in', [...state]))
    .$if(state.length === 0, (query) => query.where('state', '<>', 'gone'))
    .$if(unknown === true, (query) => query.where('user_id', 'is', null))
    .$if(text.trim() !== '', (query) =>
      query.where((all) =>
        all(
          all.fn<number>('strpos', [
            sql<string>`lower(account || ' ' || provider_name || ' ' || custom_name || ' ' || model || ' ' || credential_id)`,
            all.val(text.trim().toLowerCase()),
          ]),
          '>',
          0,
        ),
      ),
    )

export const pageOfCredentials = (tenancy: Tenancy, question: Question): Promise<{ rows: CredentialRecord[]; total: number }> =>
  readPage(matching(tenancy, question), question, (all) =>
    all
      .selectAll()
      .orderBy(columns[question.sort ?? 'account'], question.direction)
      .orderBy('id'),
  )

export const credentialsNamed = (tenancy: Tenancy, text: string, most: number): Promise<CredentialRecord[]> =>
  matching(tenancy, { text, state: [] }).selectAll().orderBy('account').limit(most).execute()

export const countCredentials = async ({ db, tenantId }: Tenancy): Promise<number> =>
  Number(
    (
      await tables(db)
        .selectFrom('synced_fido_credentials')
        .where('tenant_id', '=', tenantId)
        .where('state', '<>', 'gone')
        .select((all) => all.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count,
  )

/** Answers those that are gone too, because the audit log still names them. */
export const findRows = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<CredentialRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('synced_fido_credentials')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

export const findCredential = ({ db, tenantId }: Tenancy, credentialId: string): Promise<CredentialRecord | undefined> =>
  tables(db)
    .selectFrom('synced_fido_credentials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

export const lockCredential = ({ db, tenantId }: Tenancy, credentialId: string): Promise<CredentialRecord | undefined> =>
  tables(db)
    .selectFrom('synced_fido_credentials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('credential_id', '=', credentialId)
    .forUpdate()
    .executeTakeFirst()

export type CredentialChange = Partial<Omit<CredentialRecord, 'tenant_id' | 'id' | 'credential_id'>>

export const updateCredential = async ({ db, tenantId }: Tenancy, id: string, change: CredentialChange): Promise<void> =>
  void (await tables(db)
    .updateTable('synced_fido_credentials')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export type SeenCredential = Pick<
  CredentialRecord,
  'credential_id' | 'provider_user_id' | 'account' | 'user_id' | 'provider_name' | 'model' | 'aaguid' | 'attestation' | 'created_at'
>

/** What is here of mark, name and deletion stays; what was gone and is seen again is present. */
export const upsertSeen = async ({ db, tenantId }: Tenancy, seenAt: Date, seen: readonly SeenCredential[]): Promise<void> => {
  if (seen.length === 0) return
  await tables(db)
    .insertInto('synced_fido_credentials')
    .values(
      seen.map((one) => ({
        tenant_id: tenantId,
        id: crypto.randomUUID(),
        ...one,
        custom_name: '',
        seen_at: seenAt,
        state: 'present' as const,
        marked_at: null,
        marked_by: '',
        trouble: '',
        try_at: null,
        left_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'credential_id']).doUpdateSet((all) => ({
        provider_user_id: all.ref('excluded.provider_user_id'),
        account: all.ref('excluded.account'),
        user_id: all.ref('excluded.user_id'),
        provider_name: all.ref('excluded.provider_name'),
        model: all.ref('excluded.model'),
        aaguid: all.ref('excluded.aaguid'),
        attestation: all.ref('excluded.attestation'),
        created_at: all.ref('excluded.created_at'),
        seen_at: all.ref('excluded.seen_at'),
        left_at: null,
        state: sql<CredentialState>`case when synced_fido_credentials.state = 'gone' then 'present' else synced_fido_credentials.state end`,
      })),
    )
    .execute()
}

/** Those of these people that the provider did not name again in this sync. They are held until the commit. */
export const lockUnseen = async ({ db, tenantId }: Tenancy, providerUserIds: readonly string[], since: Date): Promise<CredentialRecord[]> =>
  tables(db)
    .selectFrom('synced_fido_credentials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('provider_user_id', '=', sql<string>`any(${[...providerUserIds]}::text[])`)
    .where('seen_at', '<', since)
    .where('state', '<>', 'gone')
    .orderBy('id')
    .forUpdate()
    .execute()

/** After a whole sync: of people whom the provider did not name. Their credentials stay to be deleted. */
export const markLeft = async ({ db, tenantId, now }: Tenancy, since: Date): Promise<void> =>
  void (await tables(db)
    .updateTable('synced_fido_credentials')
    .set({ left_at: now })
    .where('tenant_id', '=', tenantId)
    .where('state', '<>', 'gone')
    .where('seen_at', '<', since)
    .where('left_at', 'is', null)
    .execute())

export const listDue = ({ db, tenantId, now }: Tenancy, most: number): Promise<CredentialRecord[]> =>
  tables(db)
    .selectFrom('synced_fido_credentials')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'deleting')
    .where('try_at', '<=', now)
    .orderBy('try_at')
    .limit(most)
    .execute()

export const releasePerson = async ({ db, tenantId }: Omit<Tenancy, 'now'>, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('synced_fido_credentials')
    .set({ user_id: null })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute())
