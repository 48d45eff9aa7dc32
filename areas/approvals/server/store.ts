import { sql, type RawBuilder } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { ApprovalState, Verdict } from '../rules.ts'

export type ApprovalRow = {
  tenant_id: string
  id: string
  kind: string
  subject_id: string
  title: string
  requester_id: string
  requester: string
  excluded: string[]
  needed: number
  permission: string
  state: ApprovalState
  round: number
  opened_at: Date
  decided_at: Date | null
}

export type VoteRow = {
  tenant_id: string
  approval_id: string
  round: number
  voter_id: string
  voter: string
  verdict: Verdict
  comment: string
  at: Date
}

export type ApprovalTables = { approvals: ApprovalRow; approval_votes: VoteRow }

const tables = (db: Database) => db.withTables<ApprovalTables>()

export const insertApproval = (db: Database, row: ApprovalRow): Promise<void> => insertApprovals(db, [row])

export async function insertApprovals(db: Database, rows: readonly ApprovalRow[]): Promise<void> {
  if (rows.length > 0)
    await tables(db)
      .insertInto('approvals')
      .values([...rows])
      .execute()
}

export const findApproval = (db: Database, tenantId: string, kind: string, subjectId: string): Promise<ApprovalRow | undefined> =>
  tables(db)
    .selectFrom('approvals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst()

/** The same, with its row locked until the transaction ends: votes on one approval are counted one after another. */
export const lockApproval = (db: Database, tenantId: string, kind: string, subjectId: string): Promise<ApprovalRow | undefined> =>
  tables(db)
    .selectFrom('approvals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('subject_id', '=', subjectId)
    .forUpdate()
    .executeTakeFirst()

export const updateApproval = async (db: Database, tenantId: string, id: string, change: Partial<ApprovalRow>): Promise<void> => {
  await tables(db).updateTable('approvals').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const votesOn = (db: Database, tenantId: string, approvalId: string): Promise<VoteRow[]> =>
  tables(db)
    .selectFrom('approval_votes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('approval_id', '=', approvalId)
    .orderBy('at')
    .orderBy('voter_id')
    .execute()

export const insertVote = (db: Database, row: VoteRow): Promise<void> => insertVotes(db, [row])

export async function insertVotes(db: Database, rows: readonly VoteRow[]): Promise<void> {
  if (rows.length > 0)
    await tables(db)
      .insertInto('approval_votes')
      .values([...rows])
      .execute()
}

/** What waits for this person: of a permission that they have, not their own, not voted on in this round. */
const waitingOf = (db: Database, tenantId: string, userId: string, permissions: readonly string[]) =>
  tables(db)
    .selectFrom('approvals')
    .where('approvals.tenant_id', '=', tenantId)
    .where('state', '=', 'waiting')
    .where('permission', 'in', permissions.length > 0 ? [...permissions] : [''])
    .where(sql<boolean>`not (${userId}::uuid = any (excluded))`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('approval_votes')
            .select('voter_id')
            .where('approval_votes.tenant_id', '=', tenantId)
            .whereRef('approval_votes.approval_id', '=', 'approvals.id')
            .whereRef('approval_votes.round', '=', 'approvals.round')
            .where('approval_votes.voter_id', '=', userId),
        ),
      ),
    )

export const waitingPage = (
  db: Database,
  tenantId: string,
  userId: string,
  permissions: readonly string[],
  page: { page: number; size: number; kind?: string },
) =>
  waitingOf(db, tenantId, userId, permissions)
    .$if(page.kind !== undefined, (query) => query.where('kind', '=', page.kind ?? ''))
    .selectAll('approvals')
    .select(({ selectFrom }) =>
      selectFrom('approval_votes')
        .select(({ fn }) => fn.countAll<number>().as('votes'))
        .where('approval_votes.tenant_id', '=', tenantId)
        .whereRef('approval_votes.approval_id', '=', 'approvals.id')
        .whereRef('approval_votes.round', '=', 'approvals.round')
        .where('verdict', '=', 'approve')
        .as('votes'),
    )
    .orderBy('opened_at')
    .orderBy('id')
    .limit(page.size)
    .offset((page.page - 1) * page.size)
    .execute()

/** The subjects of one kind that wait for this person, oldest first. */
export const waitingSubjectIds = async (
  db: Database,
  tenantId: string,
  userId: string,
  permissions: readonly string[],
  kind: string,
  page: { page: number; size: number },
): Promise<string[]> =>
  (
    await waitingOf(db, tenantId, userId, permissions)
      .select('subject_id')
      .where('kind', '=', kind)
      .orderBy('opened_at')
      .orderBy('id')
      .limit(page.size)
      .offset((page.page - 1) * page.size)
      .execute()
  ).map(({ subject_id }) => subject_id)

export const approvalsOfSubjects = (db: Database, tenantId: string, kind: string, subjectIds: readonly string[]): Promise<ApprovalRow[]> =>
  subjectIds.length === 0
    ? Promise.resolve([])
    : tables(db)
        .selectFrom('approvals')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('kind', '=', kind)
        .where('subject_id', 'in', [...subjectIds])
        .execute()

export const votesOnAll = (db: Database, tenantId: string, approvalIds: readonly string[]): Promise<VoteRow[]> =>
  approvalIds.length === 0
    ? Promise.resolve([])
    : tables(db)
        .selectFrom('approval_votes')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('approval_id', 'in', [...approvalIds])
        .execute()

export const countWaiting = async (
  db: Database,
  tenantId: string,
  userId: string,
  permissions: readonly string[],
  kind?: string,
): Promise<number> => {
  let waiting = waitingOf(db, tenantId, userId, permissions)
    .select('id')
    .limit(countedUpTo + 1)
  if (kind !== undefined) waiting = waiting.where('kind', '=', kind)
  const counted = await db
    .selectFrom(waiting.as('waiting'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirst()
  return Number(counted?.total ?? 0)
}

/** To be joined in a larger question. */
export const roundsOfKind = (tenantId: string, kind: string): RawBuilder<unknown> =>
  sql`select subject_id, round from approvals where tenant_id = ${tenantId} and kind = ${kind}`

export const anyDecided = async (db: Database, tenantId: string): Promise<boolean> =>
  (await tables(db)
    .selectFrom('approvals')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ['approved', 'denied'])
    .limit(1)
    .executeTakeFirst()) !== undefined
