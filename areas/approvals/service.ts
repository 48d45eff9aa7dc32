// What rooms above ask of approvals. A room offers what becomes of its kind of subject; what it does with the outcome runs in the transaction of the
// last vote, with the approval's row locked, so that an outcome happens once.

import type { RawBuilder } from 'kysely'
import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import {
  approvalCount,
  countVote,
  refusalOf,
  type ApprovalRule,
  type ApprovalState,
  type Ballot,
  type Verdict,
  type Voter,
  type VoteRefusal,
} from './rules.ts'
import {
  anyDecided,
  approvalsOfSubjects,
  countWaiting,
  findApproval,
  insertApproval,
  insertVote,
  lockApproval,
  roundsOfKind,
  updateApproval,
  votesOn,
  votesOnAll,
  waitingPage,
  waitingSubjectIds,
  type ApprovalRow,
  type VoteRow,
} from './server/store.ts'

export type Subject = { tenantId: string; kind: string; subjectId: string }

export type Outcome = Subject & { approvalId: string; now: Date; decidedBy: { userId: string; name: string }; comment: string }

/** What to do when subjects of this kind are decided. */
export type Completion = {
  kind: string
  approved(db: Database, outcome: Outcome, house: House): Promise<void>
  denied(db: Database, outcome: Outcome, house: House): Promise<void>
}

export const completions = slot<Completion>('approvals: what becomes of a decided subject')

const completionOf = (house: House, kind: string): Completion => {
  const completion = house.offers(completions).find((one) => one.kind === kind)
  if (completion === undefined) throw new TypeError(`Nobody offers what becomes of an approved ${kind}`)
  return completion
}

/** `excluded`: who may not vote besides the requester, such as whom the subject is for. */
export type NewApproval = Subject & {
  title: string
  rule: ApprovalRule
  requester: { userId: string; name: string }
  excluded?: readonly string[]
  now: Date
}

/** Opens the approval of a subject. A rule that asks nobody opens none and answers undefined: the caller goes on at once. */
export async function openApproval(db: Database, asked: NewApproval): Promise<{ approvalId: string } | undefined> {
  if (asked.rule.needed <= 0) return undefined
  const id = timeOrderedId(asked.now)
  await insertApproval(db, {
    tenant_id: asked.tenantId,
    id,
    kind: asked.kind,
    subject_id: asked.subjectId,
    title: asked.title,
    requester_id: asked.requester.userId,
    requester: asked.requester.name,
    excluded: [...new Set([asked.requester.userId, ...(asked.excluded ?? [])])],
    needed: asked.rule.needed,
    permission: asked.rule.permission,
    state: 'waiting',
    round: 1,
    opened_at: asked.now,
    decided_at: null,
  })
  return { approvalId: id }
}

export type CastVote = Subject & { voter: Voter & { name: string }; verdict: Verdict; comment: string; now: Date }

/** Who decided, for whoever comes too late: those who agreed, or who denied. Nobody where it went away undecided. */
export async function decidersOf(db: Database, subject: Subject): Promise<string[]> {
  const approval = await findApproval(db, subject.tenantId, subject.kind, subject.subjectId)
  if (approval === undefined || (approval.state !== 'approved' && approval.state !== 'denied')) return []
  const decisive = approval.state === 'approved' ? 'approve' : 'deny'
  const votes = (await votesOn(db, subject.tenantId, approval.id)).filter(({ round }) => round === approval.round)
  return votes.flatMap(({ voter, verdict }) => (verdict === decisive ? [voter] : []))
}

export type VoteResult = { refused: VoteRefusal | 'missing' } | { state: ApprovalState; approvals: number; needed: number }

/** Counts one vote and, if it was the last one needed, runs the room's completion in this same transaction. */
export async function vote(house: House, db: Database, cast: CastVote): Promise<VoteResult> {
  const { tenantId, kind, subjectId, voter, verdict, comment, now } = cast
  const approval = await lockApproval(db, tenantId, kind, subjectId)
  if (approval === undefined) return { refused: 'missing' }
  const counted = countVote(ballotOf(approval, await votesOn(db, tenantId, approval.id)), voter, verdict)
  if ('refused' in counted) return counted
  await insertVote(db, {
    tenant_id: tenantId,
    approval_id: approval.id,
    round: approval.round,
    voter_id: voter.userId,
    voter: voter.name,
    verdict,
    comment,
    at: now,
  })
  if (counted.state !== 'waiting') {
    await updateApproval(db, tenantId, approval.id, { state: counted.state, decided_at: now })
    const outcome = {
      tenantId,
      kind,
      subjectId,
      approvalId: approval.id,
      now,
      decidedBy: { userId: voter.userId, name: voter.name },
      comment,
    }
    const completion = completionOf(house, kind)
    await (counted.state === 'approved' ? completion.approved(db, outcome, house) : completion.denied(db, outcome, house))
  }
  return { ...counted, needed: approval.needed }
}

/** A vote on a subject that can be edited: it counts for the round that the voter was shown and for no other. */
export async function voteOnRound(house: House, db: Database, cast: CastVote, round: number): Promise<VoteResult | { refused: 'changed' }> {
  const approval = await lockApproval(db, cast.tenantId, cast.kind, cast.subjectId)
  const changed =
    approval !== undefined &&
    approval.round !== round &&
    refusalOf(ballotOf(approval, await votesOn(db, cast.tenantId, approval.id)), cast.voter) === undefined
  return changed ? { refused: 'changed' } : vote(house, db, cast)
}

/** After an edit: the votes so far are void, the editor may not vote, and as many are needed as before at least. False where nothing waits any more. */
export async function reopenApproval(db: Database, subject: Subject, editorId: string, needed: number): Promise<boolean> {
  const approval = await lockApproval(db, subject.tenantId, subject.kind, subject.subjectId)
  if (approval === undefined || approval.state !== 'waiting') return false
  await updateApproval(db, subject.tenantId, approval.id, {
    round: approval.round + 1,
    needed: Math.max(approval.needed, needed),
    excluded: [...new Set([...approval.excluded, editorId])],
  })
  return true
}

/** The subject goes away undecided. False where nothing waits any more. */
export async function cancelApproval(db: Database, subject: Subject, now: Date): Promise<boolean> {
  const approval = await lockApproval(db, subject.tenantId, subject.kind, subject.subjectId)
  if (approval === undefined || approval.state !== 'waiting') return false
  await updateApproval(db, subject.tenantId, approval.id, { state: 'cancelled', decided_at: now })
  return true
}

export type ApprovalView = {
  approvalId: string
  state: ApprovalState
  /** Goes up with each edit: a vote names the one that it is about. */
  round: number
  needed: number
  approvals: number
  permission: string
  /** Who asked, for whom it is, and who took part: they may not vote. */
  excluded: readonly string[]
  openedAt: Date
  decidedAt: Date | undefined
  votes: { voterId: string; voter: string; verdict: Verdict; comment: string; at: Date; void: boolean }[]
  /** Why this person's vote would be refused; undefined where they may vote. */
  refusal: VoteRefusal | undefined
}

/** One approval with its votes, as this person sees it. */
export async function findApprovalOf(db: Database, subject: Subject, viewer: Voter): Promise<ApprovalView | undefined> {
  const approval = await findApproval(db, subject.tenantId, subject.kind, subject.subjectId)
  if (approval === undefined) return undefined
  const votes = await votesOn(db, subject.tenantId, approval.id)
  const ballot = ballotOf(approval, votes)
  return {
    approvalId: approval.id,
    state: approval.state,
    round: approval.round,
    needed: approval.needed,
    approvals: approvalCount(ballot.votes),
    permission: approval.permission,
    excluded: approval.excluded,
    openedAt: approval.opened_at,
    decidedAt: approval.decided_at ?? undefined,
    votes: votes.map((row) => ({
      voterId: row.voter_id,
      voter: row.voter,
      verdict: row.verdict,
      comment: row.comment,
      at: row.at,
      void: row.round < approval.round,
    })),
    refusal: refusalOf(ballot, viewer),
  }
}

/** For a list: of each subject that has an approval, its round, how far it is and whether this person may vote on it. Read before what the list shows of the subjects. */
export async function approvalsOf(
  db: Database,
  tenantId: string,
  kind: string,
  subjectIds: readonly string[],
  viewer: Voter,
): Promise<Map<string, { round: number; approvals: number; needed: number; mayVote: boolean }>> {
  const rows = await approvalsOfSubjects(db, tenantId, kind, subjectIds)
  const votes = Map.groupBy(
    await votesOnAll(
      db,
      tenantId,
      rows.map(({ id }) => id),
    ),
    ({ approval_id }) => approval_id,
  )
  return new Map(
    rows.map((row) => {
      const ballot = ballotOf(row, votes.get(row.id) ?? [])
      return [
        row.subject_id,
        { round: row.round, approvals: approvalCount(ballot.votes), needed: row.needed, mayVote: refusalOf(ballot, viewer) === undefined },
      ]
    }),
  )
}

/** The subjects of one kind that wait for this person's vote, oldest first. */
export const subjectsWaitingFor = (
  db: Database,
  tenantId: string,
  voter: Voter,
  kind: string,
  page: { page: number; size: number },
): Promise<string[]> => waitingSubjectIds(db, tenantId, voter.userId, voter.permissions, kind, page)

/** The same with what people read of each. */
export const waitingOfKind = async (
  db: Database,
  tenantId: string,
  voter: Voter,
  kind: string,
  most: number,
): Promise<{ subjectId: string; round: number; title: string; requester: string; openedAt: Date }[]> =>
  (await waitingPage(db, tenantId, voter.userId, voter.permissions, { page: 1, size: most, kind })).map((row) => ({
    subjectId: row.subject_id,
    round: row.round,
    title: row.title,
    requester: row.requester,
    openedAt: row.opened_at,
  }))

/** The subjects of a kind with the round that each is in, as a select of `subject_id` and `round`. */
export const approvalRounds = (tenantId: string, kind: string): RawBuilder<unknown> => roundsOfKind(tenantId, kind)

/** How many subjects wait for this person's vote; of one kind, or of all. Counted up to 10,001. */
export const waitingFor = (db: Database, tenantId: string, voter: Voter, kind?: string): Promise<number> =>
  countWaiting(db, tenantId, voter.userId, voter.permissions, kind)

/** Whether anything was ever decided here by a vote: a step of the first run. */
export const decidedOnce = (db: Database, tenantId: string): Promise<boolean> => anyDecided(db, tenantId)

const ballotOf = (approval: ApprovalRow, votes: readonly VoteRow[]): Ballot => ({
  state: approval.state,
  needed: approval.needed,
  permission: approval.permission,
  excluded: approval.excluded,
  votes: votes.filter(({ round }) => round === approval.round).map((row) => ({ voterId: row.voter_id, verdict: row.verdict })),
})
