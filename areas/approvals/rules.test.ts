import { describe, expect, test } from 'vitest'
import { countVote, describeRule, refusalOf, type Ballot } from './rules.ts'

const may = (userId: string) => ({ userId, permissions: ['certApprovals'] })
const ballot = (change: Partial<Ballot> = {}): Ballot => ({
  state: 'waiting',
  needed: 1,
  permission: 'certApprovals',
  excluded: ['ada'],
  votes: [],
  ...change,
})

describe('a vote', () => {
  test('approves where one approval is needed', () => {
    expect(countVote(ballot(), may('bob'), 'approve')).toEqual({ state: 'approved', approvals: 1 })
  })

  test('goes on waiting until the last approval that is needed', () => {
    const two = ballot({ needed: 2 })
    expect(countVote(two, may('bob'), 'approve')).toEqual({ state: 'waiting', approvals: 1 })
    expect(countVote({ ...two, votes: [{ voterId: 'bob', verdict: 'approve' }] }, may('cy'), 'approve')).toEqual({
      state: 'approved',
      approvals: 2,
    })
  })

  test('denies at once, however many have approved', () => {
    const three = ballot({
      needed: 3,
      votes: [
        { voterId: 'bob', verdict: 'approve' },
        { voterId: 'cy', verdict: 'approve' },
      ],
    })
    expect(countVote(three, may('dee'), 'deny')).toEqual({ state: 'denied', approvals: 2 })
  })

  test.each([
    ['of the requester', ballot(), may('ada'), 'own'],
    ['of somebody who edited the subject', ballot({ excluded: ['ada', 'bob'] }), may('bob'), 'own'],
    ['of somebody who voted in this round', ballot({ needed: 2, votes: [{ voterId: 'bob', verdict: 'approve' }] }), may('bob'), 'twice'],
    ['without the permission', ballot(), { userId: 'bob', permissions: ['certView'] }, 'permission'],
    ['of the requester without the permission', ballot(), { userId: 'ada', permissions: [] }, 'permission'],
    ['on what is approved', ballot({ state: 'approved' }), may('bob'), 'closed'],
    ['on what is denied', ballot({ state: 'denied' }), may('bob'), 'closed'],
    ['on what is cancelled', ballot({ state: 'cancelled' }), may('bob'), 'closed'],
  ] as const)('%s is refused', (_who, asked, voter, why) => {
    expect(refusalOf(asked, voter)).toBe(why)
    expect(countVote(asked, voter, 'approve')).toEqual({ refused: why })
    expect(countVote(asked, voter, 'deny')).toEqual({ refused: why })
  })
})

test('a rule is told in words', () => {
  expect([0, 1, 2].map((needed) => describeRule({ needed }))).toEqual([
    'No approval',
    'One approver, never the requester',
    '2 approvers, never the requester',
  ])
})
