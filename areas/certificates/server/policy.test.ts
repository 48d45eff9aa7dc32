import { expect, test } from 'vitest'
import { mayCollect, mayKnowCertificate, mayKnowRequest, mayWithdraw, withdrawalRefusal } from './policy.ts'

const permission = (api: string[]) => ({ View: [], Menu: [], activeMenu: [], api, roles: [], isManager: false })
const person = (userId: string, ...api: string[]) => ({ userId, permission: permission(api), via: 'session' as const })
const token = (userId: string, ...api: string[]) => ({ ...person(userId, ...api), via: 'token' as const, narrowed: true as const })
const request = { requester_id: 'asked', holder_user_id: 'holds', stage: 'waiting' as const }

test.each([
  ['who asked', person('asked'), { certificate: true, request: true, collects: false, withdraws: true }],
  ['the holder', person('holds'), { certificate: true, request: true, collects: true, withdraws: true }],
  ['who sees certificates', person('other', 'certView'), { certificate: true, request: true, collects: false, withdraws: false }],
  ['who approves', person('other', 'certApprovals'), { certificate: false, request: true, collects: false, withdraws: false }],
  ['somebody else', person('other'), { certificate: false, request: false, collects: false, withdraws: false }],
  ['a token that only sees', token('holds', 'certView'), { certificate: true, request: true, collects: true, withdraws: false }],
  ['a token for self-service', token('holds', 'selfServicePortal'), { certificate: true, request: true, collects: true, withdraws: true }],
] as const)('%s', (_who, viewer, expected) => {
  expect({
    certificate: mayKnowCertificate(viewer, request),
    request: mayKnowRequest(viewer, request, undefined),
    collects: mayCollect(viewer, request),
    withdraws: mayWithdraw(viewer, request),
  }).toEqual(expected)
})

test('who keeps a certificate knows of the request by which somebody else renewed it', () => {
  const renewed = { requester_id: 'keeps', holder_user_id: null }
  expect(mayKnowRequest(person('keeps'), { ...request, holder_user_id: null }, renewed)).toBe(true)
})

test('what is being issued stays, and to others it is not there', () => {
  expect(withdrawalRefusal(person('asked'), { ...request, stage: 'reserved' })).toBe('closed')
  expect(withdrawalRefusal(person('other', 'certView'), request)).toBe('noSuchRequest')
  // The key of a device's certificate is for whoever asked.
  expect(mayCollect(person('asked'), { requester_id: 'asked', holder_user_id: null })).toBe(true)
})
