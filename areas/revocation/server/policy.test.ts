import { describe, expect, test } from 'vitest'
import { isHeldAgainst, mayCancel, mayKnow, mayRelease, mayRevoke, releaseRefusal, revocationRefusal } from './policy.ts'

const certificate = { requesterId: 'asked', holderUserId: 'holds', caId: 'ca', status: 'active' as const, revoked: undefined }
const who = (userId: string, ...api: string[]) => ({ userId, permission: { ...nobody, api }, via: 'session' as const })
const nobody = { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false }
const token = (userId: string, ...api: string[]) => ({ ...who(userId, ...api), via: 'token' as const, narrowed: true as const })
const at = new Date('2030-01-01')
const held = { ...certificate, revoked: { reason: 'certificateHold' as const, at } }

describe('To see a certificate is not enough to change it', () => {
  test.each([
    ['who asked for it', who('asked'), true, true],
    ['who holds it', who('holds'), true, true],
    ['who sees certificates', who('sees', 'certView'), true, false],
    ['who decides revocations', who('decides', 'certRevokeView'), false, true],
    ['somebody else', who('other'), false, false],
    ['the holder by a token that only sees', token('holds', 'certView'), true, false],
    ['the holder by a token for self-service', token('holds', 'selfServicePortal'), true, true],
    ['the holder by a token that decides', token('holds', 'certRevokeView'), true, true],
  ] as const)('%s', (_who, viewer, knows, revokes) => {
    expect([mayKnow(viewer, certificate), mayRevoke(viewer, certificate)]).toEqual([knows, revokes])
    const mine = { state: 'pending' as const, requester_id: viewer.userId }
    expect(mayCancel(viewer, mine, certificate)).toBe(viewer.via === 'session' || revokes)
  })
})

test('a revocation is refused for the first reason that holds', () => {
  const ask = (changes: object, waiting?: 'removeFromCRL' | 'superseded') =>
    revocationRefusal(who('holds'), { ...certificate, ...changes }, 'superseded', waiting && { reason: waiting })
  expect(ask({ holderUserId: 'other', caId: undefined })).toBe('notYours')
  expect(ask({ caId: undefined })).toBe('notIssuedHere')
  expect(ask({ revoked: { reason: 'keyCompromise', at } })).toBe('alreadyRevoked')
  expect(ask({}, 'superseded')).toBe('alreadyPending')
  // A release gives way to a revocation for good.
  expect(ask({ revoked: held.revoked }, 'removeFromCRL')).toBeUndefined()
})

test('a hold is ended by those who decide, and not alone by the one against whom it was made', () => {
  const nothing = { waits: false, heldBy: 'decides' }
  expect(releaseRefusal(who('decides', 'certRevokeView'), certificate, nothing)).toBe('notOnHold')
  expect(releaseRefusal(who('decides', 'certRevokeView'), { ...held, status: 'expired' }, nothing)).toBe('over')
  expect(releaseRefusal(who('decides', 'certRevokeView'), held, { ...nothing, waits: true })).toBe('alreadyPending')
  expect(releaseRefusal(who('holds', 'certRevokeView'), held, nothing)).toBe('own')
  expect([isHeldAgainst(who('holds'), held, 'holds'), isHeldAgainst(who('asked'), held, 'decides')]).toEqual([false, false])
  expect([mayRelease(who('decides', 'certRevokeView'), held, nothing), mayRelease(who('other', 'certView'), held, nothing)]).toEqual([
    true,
    false,
  ])
})

test('whose certificate it is decides nothing about what others asked for', () => {
  const row = { state: 'pending' as const, requester_id: 'somebody' }
  expect(mayCancel(who('holds', 'certRevokeView'), row, certificate)).toBe(false)
  expect(mayCancel(who('decides', 'certRevokeView'), row, certificate)).toBe(true)
  expect(mayCancel(who('asked'), row, certificate)).toBe(false)
})
