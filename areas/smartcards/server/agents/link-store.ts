// The rows of security clients, and the word of one server process to the others about the links that it holds. That is said through the database, which all
// of them hear, and leaves no row.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export const linkChannel = 'chancery_card_links'

export const tellProcesses = async (house: House, text: string): Promise<void> =>
  void (await house.auditor.pool.query('select pg_notify($1, $2)', [linkChannel, text]))

export type AgentRecord = {
  tenant_id: string
  id: string
  user_id: string
  home_tenant_id: string
  person: string
  machine: string
  version: string
  secret_hash: Buffer
  server: string
  connected: boolean
  seen_at: Date
  made_at: Date
}

const tables = (db: Database) => db.withTables<{ card_agents: AgentRecord }>()

export const findBySecret = ({ db, tenantId }: Tenancy, hash: Uint8Array): Promise<AgentRecord | undefined> =>
  tables(db)
    .selectFrom('card_agents')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('secret_hash', '=', Buffer.from(hash))
    .executeTakeFirst()

/** The client of one person on one machine; another start of it takes its row. */
export const findByMachine = ({ db, tenantId }: Tenancy, userId: string, machine: string): Promise<AgentRecord | undefined> =>
  tables(db)
    .selectFrom('card_agents')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('machine', '=', machine)
    .executeTakeFirst()

export async function putAgent({ db, tenantId }: Tenancy, row: Omit<AgentRecord, 'tenant_id'>): Promise<void> {
  const { id: _id, made_at: _made, ...changed } = row
  await tables(db)
    .insertInto('card_agents')
    .values({ tenant_id: tenantId, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doUpdateSet(changed))
    .execute()
}

/** Only the server that holds the link says that it ended: another may have it by now. */
export const updateEnded = async ({ db, tenantId, now }: Tenancy, id: string, server: string): Promise<void> =>
  void (await tables(db)
    .updateTable('card_agents')
    .set({ connected: false, seen_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('server', '=', server)
    .execute())

export const updateSecret = async ({ db, tenantId }: Tenancy, id: string, hash: Uint8Array): Promise<void> =>
  void (await tables(db)
    .updateTable('card_agents')
    .set({ secret_hash: Buffer.from(hash) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** No client of this person in this tenancy comes again by itself, connected now or not. */
export const updateSecretsOf = async ({ db, tenantId }: Tenancy, userId: string): Promise<void> =>
  void (await tables(db)
    .updateTable('card_agents')
    .set({ secret_hash: sql<Buffer>`sha256(convert_to(gen_random_uuid()::text, 'UTF8'))` })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute())

export const pageOfAgents = ({ db, tenantId }: Tenancy, question: { page: number; size: number; text: string }) =>
  readPage(
    tables(db)
      .selectFrom('card_agents')
      .where('tenant_id', '=', tenantId)
      .$if(question.text !== '', (query) =>
        query.where((all) =>
          all.or([
            all(all.fn<number>('strpos', [all.fn('lower', ['person']), all.val(question.text.toLowerCase())]), '>', 0),
            all(all.fn<number>('strpos', [all.fn('lower', ['machine']), all.val(question.text.toLowerCase())]), '>', 0),
          ]),
        ),
      ),
    question,
    (found) => found.selectAll().orderBy('connected', 'desc').orderBy('seen_at', 'desc').orderBy('id'),
  )
