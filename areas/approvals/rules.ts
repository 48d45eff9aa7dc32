// Who may vote, and what the votes amount to. Pure: the server decides with it, the console explains with it.

export type ApprovalState = 'waiting' | 'approved' | 'denied' | 'cancelled'
export type Verdict = 'approve' | 'deny'

/** How many approvals it takes, and the permission an approver must have. `needed: 0` asks nobody. */
export type ApprovalRule = { needed: number; permission: string }

export type OpenVote = { voterId: string; verdict: Verdict }

export type Ballot = {
  state: ApprovalState
  needed: number
  permission: string
  /** The requester, whom the subject is for, and whoever edited it since. */
  excluded: readonly string[]
  /** The votes of this round only. */
  votes: readonly OpenVote[]
}

export type Voter = { userId: string; permissions: readonly string[] }

/** Why a vote does not count. */
export type VoteRefusal = 'closed' | 'permission' | 'own' | 'twice'

export const voteRefusals = {
  closed: { status: 409, says: 'This has been decided already' },
  permission: { status: 403, says: 'You do not have permission to decide this' },
  own: { status: 403, says: 'You cannot decide your own request, one that you changed, or one for yourself. Ask another approver' },
  twice: { status: 409, says: 'You have voted on this already' },
} as const satisfies Record<VoteRefusal, { status: number; says: string }>

/** What was decided and who decided, as one part of a sentence: `it was denied (by Ada Byron)`. */
export const howAndByWhom = (how: string, names: readonly string[]): string =>
  names.length === 0 ? how : `${how} (by ${names.join(', ')})`

/** What this vote would do: refuse it, or the state that the approval has after it. */
export function countVote(
  ballot: Ballot,
  voter: Voter,
  verdict: Verdict,
): { refused: VoteRefusal } | { state: ApprovalState; approvals: number } {
  const refused = refusalOf(ballot, voter)
  if (refused !== undefined) return { refused }
  const approvals = approvalCount(ballot.votes) + (verdict === 'approve' ? 1 : 0)
  if (verdict === 'deny') return { state: 'denied', approvals }
  return { state: approvals >= ballot.needed ? 'approved' : 'waiting', approvals }
}

/** Why this person's vote would be refused, if it would be. */
export function refusalOf(ballot: Ballot, voter: Voter): VoteRefusal | undefined {
  // The order tells a person the truth that helps most: what is decided needs no approver, and who may not approve at all need not know who asked.
  if (ballot.state !== 'waiting') return 'closed'
  if (!voter.permissions.includes(ballot.permission)) return 'permission'
  if (ballot.excluded.includes(voter.userId)) return 'own'
  if (ballot.votes.some((vote) => vote.voterId === voter.userId)) return 'twice'
  return undefined
}

export const approvalCount = (votes: readonly OpenVote[]): number => votes.filter((vote) => vote.verdict === 'approve').length

/** The rule in words. */
export function describeRule({ needed }: Pick<ApprovalRule, 'needed'>): string {
  if (needed === 0) return 'No approval'
  return needed === 1 ? 'One approver, never the requester' : `${needed} approvers, never the requester`
}
